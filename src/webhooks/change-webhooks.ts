import type { Act } from '../kernel/act.ts';
import { afterId, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { Problem } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { NewWebhook, Webhook, WebhookChanges, WebhookWithSecret } from './contract.ts';
import { selectLastPosition } from './feed.sql.ts';
import { checkUrl, describeWebhook, requireLockedWebhook, requireWebhook } from './webhook.ts';
import { createSecret, oldSecretMs, reseal } from './webhook-secrets.ts';
import {
  countWebhooks,
  deleteWebhookRow,
  insertWebhook,
  lockProducer,
  nextWebhookId,
  selectSealedForUpdate,
  selectWebhooks,
  updateWebhookRow,
  type WebhookRow,
} from './webhooks.sql.ts';

const maxWebhooks = 20;

const recorded = ({ url, types, paused }: WebhookRow) => ({ url, types, paused });

const log = (tx: Tx, act: Act, { id, producer_id: producerId }: WebhookRow, facts: { before?: object; after?: object }): Promise<void> =>
  record(tx, act, { subject: 'webhook', id, producerId, ...facts });

/** The webhook gets the changes that are not in the feed yet. */
export async function createWebhook(
  tx: Tx,
  act: Act,
  producerId: number,
  { url, types }: NewWebhook,
  allowPrivate: boolean,
): Promise<WebhookWithSecret> {
  const checked = checkUrl(url, allowPrivate);
  await lockProducer(tx, producerId);
  if ((await countWebhooks(tx, producerId)) >= maxWebhooks)
    throw new Problem('rule_violation', `A producer can have at most ${maxWebhooks} webhooks. Delete one first.`);
  const id = await nextWebhookId(tx);
  const secret = createSecret(tx, id);
  const row = await insertWebhook(tx, {
    id,
    producer_id: producerId,
    url: checked,
    types: [...types],
    paused: false,
    sealed_secret: secret.sealed,
    position: await selectLastPosition(tx),
    created_at: act.at,
    updated_at: act.at,
  });
  await log(tx, act, row, { after: recorded(row) });
  return { ...describeWebhook(row, act.at), secret: secret.text };
}

export async function listWebhooks(tx: Tx, act: Act, producerId: number, query: PageQuery): Promise<Page<Webhook>> {
  const rows = await selectWebhooks(tx, producerId, afterId(query), rowsToFetch(query));
  const total = query.count ? await countWebhooks(tx, producerId) : undefined;
  return toPage(
    rows,
    query,
    ({ id }) => [id],
    (row) => describeWebhook(row, act.at),
    total,
  );
}

export const getWebhook = async (tx: Tx, act: Act, producerId: number, id: number): Promise<Webhook> =>
  describeWebhook(await requireWebhook(tx, producerId, id), act.at);

export async function updateWebhook(
  tx: Tx,
  act: Act,
  { producerId, id }: { producerId: number; id: number },
  { url, types, paused }: WebhookChanges,
  allowPrivate: boolean,
): Promise<Webhook> {
  const before = await requireLockedWebhook(tx, producerId, id);
  // A new address, or a webhook that is resumed, is tried at once.
  const isFreshStart = url !== undefined || (before.paused && paused === false);
  const after = await updateWebhookRow(tx, id, {
    ...(url !== undefined && { url: checkUrl(url, allowPrivate) }),
    ...(types !== undefined && { types: [...types] }),
    ...(paused !== undefined && { paused }),
    ...(isFreshStart && { failures: 0, failing_since: null, retry_at: null }),
    updated_at: act.at,
  });
  await log(tx, act, after, { before: recorded(before), after: recorded(after) });
  return describeWebhook(after, act.at);
}

export async function deleteWebhook(tx: Tx, act: Act, producerId: number, id: number): Promise<void> {
  const row = await requireLockedWebhook(tx, producerId, id);
  await deleteWebhookRow(tx, id);
  await log(tx, act, row, { before: recorded(row) });
}

/** If the secret was replaced less than a day ago, the secret before that one no longer signs. */
export async function rotateWebhookSecret(tx: Tx, act: Act, producerId: number, id: number): Promise<WebhookWithSecret> {
  const before = await requireLockedWebhook(tx, producerId, id);
  const secret = createSecret(tx, id);
  const after = await updateWebhookRow(tx, id, {
    sealed_secret: secret.sealed,
    sealed_old_secret: before.sealed_secret,
    old_secret_until: new Date(act.at.getTime() + oldSecretMs),
    updated_at: act.at,
  });
  await log(tx, act, after, { after: { secret: 'replaced' } });
  return { ...describeWebhook(after, act.at), secret: secret.text };
}

/** Encrypts all secrets again, with the current SECRET_KEY. Returns how many webhooks there are. */
export async function sealWebhookSecrets(tx: Tx): Promise<number> {
  const rows = await selectSealedForUpdate(tx);
  for (const { id, sealed_secret, sealed_old_secret } of rows) {
    await updateWebhookRow(tx, id, {
      sealed_secret: reseal(tx, id, sealed_secret),
      ...(sealed_old_secret && { sealed_old_secret: reseal(tx, id, sealed_old_secret) }),
    });
  }
  return rows.length;
}
