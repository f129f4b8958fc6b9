import type { Act } from '../kernel/act.ts';
import { decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { Problem } from '../kernel/problem.ts';
import type { Page } from '../kernel/schema.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { countOldRows, deleteOldRows } from '../postgres/delete-old-rows.ts';
import type { Delivery, DeliveryDetails, DeliveryQuery, ReplayStart, Webhook } from './contract.ts';
import { bodiesOf } from './deliver.ts';
import {
  countDeliveries,
  type DeliveryRow,
  deletePendingAfter,
  deliveriesBefore,
  insertDelivery,
  selectDeliveries,
  selectDelivery,
} from './deliveries.sql.ts';
import { selectLastPosition, selectPositionBefore } from './feed.sql.ts';
import { decodePlace, requireStored } from './feed-cursor.ts';
import type { FeedSettings } from './list-changes.ts';
import { messageIdOfDelivery, testType } from './message.ts';
import { describeWebhook, requireActive, requireLockedWebhook, requireWebhook } from './webhook.ts';
import { updateWebhookRow } from './webhooks.sql.ts';

export interface WebhookKey {
  producerId: number;
  id: number;
}

const describeDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  messageId: messageIdOfDelivery(row),
  type: row.type as Delivery['type'],
  eventId: row.event_id,
  subject: row.subject,
  changedAt: row.changed_at.toISOString(),
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.status === 'pending' ? row.next_attempt_at.toISOString() : null,
  createdAt: row.created_at.toISOString(),
  attemptedAt: row.attempted_at?.toISOString() ?? null,
  durationMs: row.duration_ms,
  responseStatus: row.response_status,
  response: row.response,
  error: row.error,
});

export async function listDeliveries(tx: Tx, { producerId, id }: WebhookKey, query: DeliveryQuery): Promise<Page<Delivery>> {
  await requireWebhook(tx, producerId, id);
  const filter = { webhookId: id, status: query.status };
  const before = query.cursor === undefined ? null : decodeCursor(query.cursor, ['number'])[0];
  const rows = await selectDeliveries(tx, filter, before, rowsToFetch(query));
  const total = query.count ? await countDeliveries(tx, filter) : undefined;
  return toPage(rows, query, (row) => [row.id], describeDelivery, total);
}

async function requireDelivery(tx: Tx, webhookId: number, id: number): Promise<DeliveryRow> {
  const row = await selectDelivery(tx, webhookId, id);
  if (!row) throw new Problem('not_found');
  return row;
}

export async function getDelivery(
  tx: Tx,
  { at }: Act,
  { producerId, id }: WebhookKey,
  deliveryId: number,
  testMoney: boolean,
): Promise<DeliveryDetails> {
  const webhook = await requireWebhook(tx, producerId, id);
  const row = await requireDelivery(tx, id, deliveryId);
  const [body = ''] = await bodiesOf(tx, webhook, [row], at, testMoney);
  return { ...describeDelivery(row), url: webhook.url, body };
}

export async function testWebhook(tx: Tx, act: Act, { producerId, id }: WebhookKey): Promise<Delivery> {
  requireActive(await requireLockedWebhook(tx, producerId, id));
  const row = await insertDelivery(tx, {
    webhook_id: id,
    position: null,
    event_id: null,
    type: testType,
    subject: 'test',
    part: null,
    changed_at: act.at,
    next_attempt_at: act.at,
    created_at: act.at,
  });
  await retryAtOnce(tx, id);
  await record(tx, act, { subject: 'webhook', id, producerId, after: { test: row.id } });
  return describeDelivery(row);
}

/** Somebody waits for the result, so the pause after failures ends. */
const retryAtOnce = (tx: Tx, id: number) => updateWebhookRow(tx, id, { failures: 0, failing_since: null, retry_at: null });

export async function sendDeliveryAgain(tx: Tx, act: Act, { producerId, id }: WebhookKey, deliveryId: number): Promise<Delivery> {
  requireActive(await requireLockedWebhook(tx, producerId, id));
  const { position, event_id, type, subject, part, changed_at, status } = await requireDelivery(tx, id, deliveryId);
  if (status === 'pending') throw new Problem('wrong_state', 'The delivery is still pending. It is tried again by itself.');
  const row = await insertDelivery(tx, {
    webhook_id: id,
    position,
    event_id,
    type,
    subject,
    part,
    changed_at,
    next_attempt_at: act.at,
    created_at: act.at,
  });
  await retryAtOnce(tx, id);
  await record(tx, act, { subject: 'webhook', id, producerId, after: { again: deliveryId } });
  return describeDelivery(row);
}

/** Sets the webhook back in the feed. What is pending after that place is removed, because it is queued again in order. */
export async function replayWebhook(
  tx: Tx,
  act: Act,
  { producerId, id }: WebhookKey,
  start: ReplayStart,
  { changeDays }: FeedSettings,
): Promise<Webhook> {
  const webhook = await requireLockedWebhook(tx, producerId, id);
  requireActive(webhook);
  const wanted = await startOf(tx, act, producerId, start, changeDays);
  // A cursor may be ahead of this webhook. Nothing may be skipped.
  const position = Math.min(wanted, webhook.position);
  await deletePendingAfter(tx, id, position);
  const after = await updateWebhookRow(tx, id, { position });
  await record(tx, act, { subject: 'webhook', id, producerId, after: { replay: start } });
  return describeWebhook(after, act.at);
}

async function startOf(tx: Tx, { at }: Act, producerId: number, { since, from }: ReplayStart, changeDays: number | null): Promise<number> {
  if (since !== undefined) return decodePlace(since, 'body', changeDays, at).position;
  const time = new Date(from ?? at);
  requireStored(time, changeDays, at);
  return (await selectPositionBefore(tx, producerId, time)) ?? selectLastPosition(tx);
}

export const countOldDeliveries = (tx: Tx, before: Date): Promise<number> => countOldRows(tx, deliveriesBefore(before));

export const deleteOldDeliveries = (tx: Tx, before: Date, limit: number): Promise<number> =>
  deleteOldRows(tx, deliveriesBefore(before), limit);
