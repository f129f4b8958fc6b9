import type { Database, Tx } from '../postgres/database.ts';
import { DecryptionError } from '../postgres/secrets.ts';
import { inTransaction } from '../postgres/transaction.ts';
import {
  type AttemptRow,
  type DeliveryRow,
  parkQueuedBefore,
  retryNow,
  saveAttempts,
  selectDueDeliveries,
  selectProbe,
} from './deliveries.sql.ts';
import { messageIdOfDelivery, testType, toMessage } from './message.ts';
import type { Post, PostResult } from './post.ts';
import { readResources } from './read-resources.ts';
import { afterAttempt, afterRound, downFrom, retryMs } from './retry.ts';
import { sign } from './webhook-secrets.ts';
import { lockWebhook, updateWebhookRow, type WebhookRow } from './webhooks.sql.ts';

export interface DeliverContext {
  db: Database;
  clock: () => Date;
  post: Post;
  testMoney: boolean;
  /** Aborted when the process stops, or when another process has taken over. */
  signal: AbortSignal;
}

/** The number of messages that are sent to a webhook at the same time. They are about different subjects. */
const concurrency = 8;
/** After this many rounds the worker looks again which webhooks are due. */
const maxRounds = 50;

interface Round {
  webhook: WebhookRow;
  messages: { delivery: DeliveryRow; body: string }[];
}

interface Attempt {
  delivery: DeliveryRow;
  result: PostResult;
}

/** Sends what is due to one webhook, in rounds. No transaction is open while messages are sent. */
export async function deliverTo(context: DeliverContext, webhookId: number): Promise<void> {
  for (let rounds = 0; rounds < maxRounds && !context.signal.aborted; rounds++) {
    const round = await inTransaction(context.db, {}, (tx) => prepareRound(tx, webhookId, context));
    if (!round) return;
    const attempts = await Promise.all(round.messages.map(({ delivery, body }) => attempt(context, round.webhook, delivery, body)));
    const made = attempts.filter((each) => each !== null);
    if (made.length === 0) return;
    const isReachable = await inTransaction(context.db, {}, (tx) => saveRound(tx, webhookId, made, context.clock()));
    if (!isReachable) return;
  }
}

/** Reads the next messages. The content is read now, so it is not older than the message. */
async function prepareRound(tx: Tx, webhookId: number, { clock, testMoney }: DeliverContext): Promise<Round | null> {
  const at = clock();
  const webhook = await lockWebhook(tx, webhookId);
  if (!webhook || webhook.paused) return null;
  const due = webhook.failures > 0 ? await selectProbe(tx, webhookId) : await selectDueDeliveries(tx, webhookId, at, concurrency);
  if (due.length === 0) return null;
  const bodies = await bodiesOf(tx, webhook, due, at, testMoney);
  return { webhook, messages: due.map((delivery, i) => ({ delivery, body: bodies[i] ?? '' })) };
}

/** The bodies of these deliveries as they would be sent now. */
export async function bodiesOf(
  tx: Tx,
  { id, producer_id: producerId }: Pick<WebhookRow, 'id' | 'producer_id'>,
  deliveries: readonly DeliveryRow[],
  at: Date,
  testMoney: boolean,
): Promise<string[]> {
  const isTest = ({ type }: DeliveryRow) => type === testType;
  const told = deliveries.filter((delivery) => !isTest(delivery));
  const subjects = told.map(({ event_id, subject, part }) => ({ eventId: event_id ?? 0, subject, part }));
  const resources = await readResources(tx, subjects, { producerId, at, testMoney });
  return deliveries.map((delivery) => {
    const data = isTest(delivery) ? { webhookId: id } : (resources[told.indexOf(delivery)] ?? null);
    return JSON.stringify(toMessage(delivery.type, delivery.changed_at, data));
  });
}

/** Returns null if the attempt was aborted. It is then made again later. */
async function attempt(
  { db, clock, post, signal }: DeliverContext,
  webhook: WebhookRow,
  delivery: DeliveryRow,
  body: string,
): Promise<Attempt | null> {
  try {
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Tessera-Webhooks/1',
      ...sign(db, webhook, messageIdOfDelivery(delivery), body, clock()),
    };
    const result = await post({ url: webhook.url, headers, body }, signal);
    return result && { delivery, result };
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    const sentence = 'The signing secret cannot be decrypted. Rotate the secret of this webhook.';
    return { delivery, result: { status: null, response: null, error: sentence, durationMs: 0 } };
  }
}

/** Returns whether the address responds. */
async function saveRound(tx: Tx, webhookId: number, attempts: readonly Attempt[], at: Date): Promise<boolean> {
  const webhook = await lockWebhook(tx, webhookId);
  if (!webhook) return false;
  await saveAttempts(
    tx,
    webhookId,
    attempts.map((each) => toRow(each, at)),
  );
  const health = afterRound(
    webhook,
    attempts.map(({ result }) => result),
    at,
  );
  if (webhook.failures === 0 && health.failures === 0) return true;
  await updateWebhookRow(tx, webhookId, health);
  if (health.failures === 0 && webhook.failures >= downFrom) await retryNow(tx, webhookId, at);
  const giveUp = new Date(at.getTime() - retryMs);
  if (health.failing_since && health.failing_since <= giveUp) await parkQueuedBefore(tx, webhookId, giveUp);
  return health.failures === 0;
}

function toRow({ delivery, result }: Attempt, at: Date): AttemptRow {
  const { status, nextAttemptAt } = afterAttempt(delivery, result, at);
  return {
    id: delivery.id,
    status,
    next_attempt_at: nextAttemptAt,
    attempted_at: at,
    duration_ms: result.durationMs,
    response_status: result.status,
    response: result.response,
    error: result.error,
  };
}
