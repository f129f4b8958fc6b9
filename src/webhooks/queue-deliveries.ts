import type { Database, Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { countPending, queueEntries } from './deliveries.sql.ts';
import { selectChunkEnd } from './feed.sql.ts';
import { lockWebhook, selectBehind, updateWebhookRow } from './webhooks.sql.ts';

const chunkSize = 1_000;
/** The other changes wait in the feed. Otherwise repeated replays of a long feed would insert and delete millions of rows. */
const maxPending = 10_000;

/** Queues new changes of the feed for each webhook that wants them. Returns whether there may be more. */
export async function queueDeliveries(db: Database, at: Date): Promise<boolean> {
  const behind = await selectBehind(db);
  for (const id of behind) await inTransaction(db, {}, (tx) => queueChunk(tx, id, at));
  return behind.length > 0;
}

/** The position moves in the same transaction, so that each change is queued once. */
async function queueChunk(tx: Tx, id: number, at: Date): Promise<void> {
  const webhook = await lockWebhook(tx, id);
  if (!webhook || webhook.paused || (await countPending(tx, id, maxPending)) >= maxPending) return;
  const end = await selectChunkEnd(tx, webhook.producer_id, webhook.position, chunkSize);
  if (end === null) return;
  await queueEntries(tx, webhook, end, at);
  await updateWebhookRow(tx, id, { position: end });
}
