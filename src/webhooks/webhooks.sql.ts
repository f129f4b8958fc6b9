import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database, Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';

export type WebhookRow = Selectable<Schema['webhook']>;

export async function nextWebhookId(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number }>`select nextval('webhook_id') as id`.execute(tx);
  return rows[0]?.id ?? 0;
}

/** Serializes the creation of webhooks, so that a producer never has more than allowed. */
export async function lockProducer(tx: Tx, producerId: number): Promise<void> {
  await sql`select from producer where id = ${producerId} for no key update`.execute(tx);
}

export async function insertWebhook(tx: Tx, row: Insertable<Schema['webhook']>): Promise<WebhookRow> {
  return tx.insertInto('webhook').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function selectWebhook(db: Database | Tx, producerId: number, id: number): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhook').selectAll().where('producer_id', '=', producerId).where('id', '=', id).executeTakeFirst();
}

export async function lockWebhook(tx: Tx, id: number): Promise<WebhookRow | undefined> {
  return tx.selectFrom('webhook').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

export async function selectWebhooks(tx: Tx, producerId: number, after: number, limit: number): Promise<WebhookRow[]> {
  return tx
    .selectFrom('webhook')
    .selectAll()
    .where('producer_id', '=', producerId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function countWebhooks(tx: Tx, producerId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from webhook where producer_id = ${producerId}`.execute(tx);
  return rows[0]?.n ?? 0;
}

export async function updateWebhookRow(tx: Tx, id: number, changes: Updateable<Schema['webhook']>): Promise<WebhookRow> {
  return tx.updateTable('webhook').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteWebhookRow(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('webhook').where('id', '=', id).execute();
}

export async function selectSealedForUpdate(tx: Tx): Promise<Pick<WebhookRow, 'id' | 'sealed_secret' | 'sealed_old_secret'>[]> {
  return tx.selectFrom('webhook').select(['id', 'sealed_secret', 'sealed_old_secret']).orderBy('id').forUpdate().execute();
}

/** Webhooks with new changes in the feed. */
export async function selectBehind(db: Database): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select w.id from webhook w
     where not w.paused and exists (select 1 from feed_entry f where f.producer_id = w.producer_id and f.position > w.position)
     order by w.id`.execute(db);
  return rows.map(({ id }) => id);
}

export interface DueWebhook {
  id: number;
  failures: number;
}

/** Webhooks that have something to deliver now. Those that work come before those that fail. */
export async function selectDueWebhooks(db: Database, at: Date): Promise<DueWebhook[]> {
  const { rows } = await sql<DueWebhook>`
    select w.id, w.failures from webhook w
     where not w.paused and (w.retry_at is null or w.retry_at <= ${at})
       and exists (select 1 from webhook_delivery d
                    where d.webhook_id = w.id and d.status = 'pending' and (d.next_attempt_at <= ${at} or w.failures > 0))
     order by w.failures, w.id`.execute(db);
  return rows;
}

/** Throws if the session was lost. Its locks are then released. */
export async function checkSession(session: Database): Promise<void> {
  await sql`select 1`.execute(session);
}
