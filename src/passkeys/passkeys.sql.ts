import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Tx } from '../postgres/database.ts';
import { inEvent } from '../postgres/in-event.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { Schema } from '../postgres/schema.ts';
import { containsText } from '../postgres/text-search.ts';
import { type PasskeyStatus, passkeyStatusSql } from './passkey-status.ts';

export interface PasskeyWithItems {
  id: number;
  event_id: number;
  code: string;
  starts_at: Date | null;
  finishes_at: Date | null;
  use_limit: number | null;
  used: number;
  held: number;
  created_at: Date;
  updated_at: Date;
  item_ids: number[];
}

export interface PasskeyRow extends PasskeyWithItems {
  /** The time zone of the event. */
  timezone: string;
}

/** Returns passkeys that are not deleted, each with its items. `tail` is the rest of the query after `and`. */
async function selectWhole(tx: Tx, tail: RawBuilder<unknown>): Promise<PasskeyRow[]> {
  const { rows } = await sql<PasskeyRow>`
    select p.id, p.event_id, p.code, p.starts_at, p.finishes_at, p.use_limit, p.used, p.held, p.created_at, p.updated_at, e.timezone,
           array(select x.item_id from passkey_item x where x.event_id = p.event_id and x.passkey_id = p.id order by x.item_id) as item_ids
      from passkey p join event e on e.id = p.event_id
     where p.deleted_at is null and ${tail}`.execute(tx);
  return rows;
}

export async function selectPasskey(tx: Tx, eventId: number, id: number): Promise<PasskeyRow | undefined> {
  return (await selectWhole(tx, sql`p.event_id = ${eventId} and p.id = ${id}`))[0];
}

/** Locks passkeys in the order of events and ids. This prevents deadlocks between concurrent transactions. */
export const lockPasskeysByText = (eventIds: readonly number[], texts: readonly string[]): Statement => sql`
  select from passkey p join unnest(${eventIds}::bigint[], ${texts}::text[]) as asked (event_id, code)
      on p.event_id = asked.event_id and lower(p.code) = lower(asked.code)
   where ${inEvent(sql`p.event_id`, eventIds)} and p.deleted_at is null order by p.event_id, p.id for no key update of p`;

/** Locking is a statement of its own, so that the next statement reads the counters after the locks are granted. */
export async function lockPasskeyRows(tx: Tx, keys: readonly RowKey[]): Promise<void> {
  const eventIds = keys.map(({ eventId }) => eventId);
  await sql`
    select from passkey p
      join unnest(${eventIds}::bigint[], ${keys.map(({ id }) => id)}::bigint[]) as k (event_id, id) on p.event_id = k.event_id and p.id = k.id
     where ${inEvent(sql`p.event_id`, eventIds)} order by p.event_id, p.id for no key update of p`.execute(tx);
}

/** Returns the passkeys with these keys that are not deleted. */
export async function selectPasskeysByKey(tx: Tx, keys: readonly RowKey[]): Promise<PasskeyRow[]> {
  const eventIds = keys.map(({ eventId }) => eventId);
  const isKey = sql`(p.event_id, p.id) in (select * from unnest(${eventIds}::bigint[], ${keys.map(({ id }) => id)}::bigint[]))`;
  return selectWhole(tx, sql`${inEvent(sql`p.event_id`, eventIds)} and ${isKey}`);
}

export interface PasskeyByText extends PasskeyWithItems {
  /** The text that was looked up. It may differ from `code` in case. */
  asked: string;
}

/**
 * Returns the passkeys with these texts. Looks up the whole text in an index, ignoring case, so the response time does not reveal whether a
 * wrong text is similar to a passkey.
 */
export const selectPasskeysByText = (eventIds: readonly number[], texts: readonly string[]): RawBuilder<PasskeyByText> => sql`
  select p.id, p.event_id, p.code, p.starts_at, p.finishes_at, p.use_limit, p.used, p.held, p.created_at, p.updated_at,
         array(select x.item_id from passkey_item x where x.event_id = p.event_id and x.passkey_id = p.id) as item_ids, asked.code as asked
    from unnest(${eventIds}::bigint[], ${texts}::text[]) as asked (event_id, code)
    join passkey p on p.event_id = asked.event_id and lower(p.code) = lower(asked.code)
   where ${inEvent(sql`p.event_id`, eventIds)} and p.deleted_at is null`;

export interface PasskeyCounterChange extends RowKey {
  used: number;
  held: number;
}

/** Adds to the counters. A check constraint rejects counters above the limit of the passkey. */
export function updatePasskeyCounters(changes: readonly PasskeyCounterChange[]): Statement {
  const eventIds = changes.map(({ eventId }) => eventId);
  return sql`
    update passkey p set used = p.used + d.used, held = p.held + d.held
      from unnest(${eventIds}::bigint[], ${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ used }) => used)}::int[],
                  ${changes.map(({ held }) => held)}::int[]) as d (event_id, id, used, held)
     where ${inEvent(sql`p.event_id`, eventIds)} and p.event_id = d.event_id and p.id = d.id`;
}

/** Locking is a statement of its own, so that the next statement reads changes that were committed while it waited. */
export async function lockPasskeyRow(tx: Tx, eventId: number, id: number): Promise<void> {
  await tx.selectFrom('passkey').select('id').where('event_id', '=', eventId).where('id', '=', id).forNoKeyUpdate().execute();
}

export interface PasskeyFilter {
  eventId: number;
  status: PasskeyStatus | undefined;
  term: string | undefined;
  at: Date;
}

function matching({ eventId, status, term, at }: PasskeyFilter): RawBuilder<unknown> {
  const named = term ? containsText('p.code', term) : sql`true`;
  const inStatus = status ? sql`${passkeyStatusSql(at)} = ${status}` : sql`true`;
  return sql`p.event_id = ${eventId} and ${named} and ${inStatus}`;
}

export async function selectPasskeys(tx: Tx, filter: PasskeyFilter, after: number, limit: number): Promise<PasskeyRow[]> {
  return selectWhole(tx, sql`p.id > ${after} and ${matching(filter)} order by p.event_id, p.id limit ${limit}`);
}

export async function countPasskeys(tx: Tx, filter: PasskeyFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from passkey p where p.deleted_at is null and ${matching(filter)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

export async function selectZone(tx: Tx, eventId: number): Promise<string | undefined> {
  return (await tx.selectFrom('event').select('timezone').where('id', '=', eventId).executeTakeFirst())?.timezone;
}

export async function insertPasskey(tx: Tx, passkey: Insertable<Schema['passkey']>): Promise<number> {
  const { id } = await tx.insertInto('passkey').values(passkey).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function updatePasskeyRow(tx: Tx, eventId: number, id: number, changes: Updateable<Schema['passkey']>): Promise<void> {
  await tx.updateTable('passkey').set(changes).where('event_id', '=', eventId).where('id', '=', id).execute();
}

export async function deletePasskeyItems(tx: Tx, eventId: number, passkeyId: number): Promise<void> {
  await tx.deleteFrom('passkey_item').where('event_id', '=', eventId).where('passkey_id', '=', passkeyId).execute();
}

/** Links each of the passkeys to each of the items. */
export async function insertPasskeyItems(
  tx: Tx,
  eventId: number,
  passkeyIds: readonly number[],
  itemIds: readonly number[],
): Promise<void> {
  await sql`
    insert into passkey_item (event_id, passkey_id, item_id)
    select ${eventId}::bigint, p, i from unnest(${passkeyIds}::bigint[]) p cross join unnest(${itemIds}::bigint[]) i order by p, i`.execute(
    tx,
  );
}

export interface BatchRow {
  event_id: number;
  starts_at: Date | null;
  finishes_at: Date | null;
  use_limit: number | null;
  at: Date;
}

/** Inserts the codes that the event does not have yet. Returns the inserted codes, in the order of `codes`. */
export async function insertFreeCodes(tx: Tx, batch: BatchRow, codes: readonly string[]): Promise<{ id: number; code: string }[]> {
  const { rows } = await sql<{ id: number; code: string }>`
    insert into passkey (event_id, code, starts_at, finishes_at, use_limit, created_at, updated_at)
    select ${batch.event_id}::bigint, code, ${batch.starts_at}::timestamptz, ${batch.finishes_at}::timestamptz, ${batch.use_limit}::integer,
           ${batch.at}::timestamptz, ${batch.at}::timestamptz
      from unnest(${codes}::text[]) with ordinality as sent (code, place) order by place
    on conflict (event_id, lower(code)) where deleted_at is null do nothing
    returning id, code`.execute(tx);
  return rows;
}
