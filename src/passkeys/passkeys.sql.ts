import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely';
import type { Scope } from '../accounts/roles.ts';
import type { Database, Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { Schema } from '../postgres/schema.ts';
import type { PasskeyStatus } from './passkey-status.ts';

/** A passkey with its items and the zone of its event. */
export interface PasskeyRow {
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
  timezone: string;
  item_ids: number[];
}

/** One statement for any number of passkeys: their items come with them. */
async function selectWhole(tx: Tx, tail: RawBuilder<unknown>): Promise<PasskeyRow[]> {
  const { rows } = await sql<PasskeyRow>`
    select p.id, p.event_id, p.code, p.starts_at, p.finishes_at, p.use_limit, p.used, p.held, p.created_at, p.updated_at, e.timezone,
           array(select x.item_id from passkey_item x where x.event_id = p.event_id and x.passkey_id = p.id order by x.item_id) as item_ids
      from passkey p join event e on e.id = p.event_id
     where p.deleted_at is null and ${tail}`.execute(tx);
  return rows;
}

export async function selectPasskey(tx: Tx, id: number): Promise<PasskeyRow | undefined> {
  return (await selectWhole(tx, sql`p.id = ${id}`))[0];
}

/** By what somebody typed: one look into the index, whether it is right, nearly right or far off. */
export async function selectPasskeyByText(tx: Tx, eventId: number, text: string): Promise<PasskeyRow | undefined> {
  return (await selectWhole(tx, sql`p.event_id = ${eventId} and lower(p.code) = lower(${text})`))[0];
}

/** Locks those that some texts may mean, in the order of their ids, for who is about to use them up. */
export async function lockPasskeysByText(tx: Tx, eventIds: readonly number[], texts: readonly string[]): Promise<void> {
  await sql`
    select from passkey p join unnest(${eventIds}::bigint[], ${texts}::text[]) as asked (event_id, code)
        on p.event_id = asked.event_id and lower(p.code) = lower(asked.code)
     where p.deleted_at is null order by p.id for no key update of p`.execute(tx);
}

/** Locks their counters. A statement of its own: what is read afterwards is what holds until the end of the transaction. */
export async function lockPasskeyRows(tx: Tx, ids: readonly number[]): Promise<void> {
  await sql`select from passkey where id = any(${ids}) order by id for no key update`.execute(tx);
}

/** Deleted ones are not among them. */
export async function selectPasskeysById(tx: Tx, ids: readonly number[]): Promise<PasskeyRow[]> {
  return selectWhole(tx, sql`p.id = any(${ids})`);
}

/** With the text that each was asked by. */
export async function selectPasskeysByText(
  tx: Tx,
  eventIds: readonly number[],
  texts: readonly string[],
): Promise<(PasskeyRow & { asked: string })[]> {
  const { rows } = await sql<PasskeyRow & { asked: string }>`
    select p.id, p.event_id, p.code, p.starts_at, p.finishes_at, p.use_limit, p.used, p.held, p.created_at, p.updated_at, '' as timezone,
           array(select x.item_id from passkey_item x where x.event_id = p.event_id and x.passkey_id = p.id) as item_ids, asked.code as asked
      from unnest(${eventIds}::bigint[], ${texts}::text[]) as asked (event_id, code)
      join passkey p on p.event_id = asked.event_id and lower(p.code) = lower(asked.code) and p.deleted_at is null`.execute(tx);
  return rows;
}

/** The check of the table is the last to judge: what would pass a limit fails here. */
export const movePasskeyCounters = (moves: readonly { id: number; used: number; held: number }[]): Statement => sql`
  update passkey set used = passkey.used + d.used, held = passkey.held + d.held
    from unnest(${moves.map(({ id }) => id)}::bigint[], ${moves.map(({ used }) => used)}::int[], ${moves.map(({ held }) => held)}::int[])
         as d (id, used, held)
   where passkey.id = d.id`;

/** In a statement of its own: what hangs on the passkey must be read after the wait for the lock. */
export async function lockPasskeyRow(tx: Tx, id: number): Promise<void> {
  await tx.selectFrom('passkey').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

export interface PasskeyFilter {
  eventId: number;
  status: PasskeyStatus | undefined;
  term: string | undefined;
  at: Date;
}

/** The same decision as `passkeyStatus`; a property test holds the two together. */
const statusAt = (at: Date) => sql`case
  when p.finishes_at + interval '1 second' <= ${at} then 'finished'
  when p.used + p.held >= p.use_limit then 'exhausted'
  when p.starts_at > ${at} then 'scheduled'
  else 'active' end`;

function matching({ eventId, status, term, at }: PasskeyFilter): RawBuilder<unknown> {
  const named = term ? sql`p.code ilike ${`%${term.replaceAll(/[\\%_]/g, '\\$&')}%`}` : sql`true`;
  const inStatus = status ? sql`${statusAt(at)} = ${status}` : sql`true`;
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

export async function selectPasskeyScope(db: Database, id: number): Promise<Scope | undefined> {
  const row = await db
    .selectFrom('passkey')
    .innerJoin('event', 'event.id', 'passkey.event_id')
    .select(['passkey.event_id', 'event.producer_id'])
    .where('passkey.id', '=', id)
    .where('passkey.deleted_at', 'is', null)
    .executeTakeFirst();
  return row && { producerId: row.producer_id, eventId: row.event_id };
}

export async function insertPasskey(tx: Tx, passkey: Insertable<Schema['passkey']>): Promise<number> {
  const { id } = await tx.insertInto('passkey').values(passkey).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function updatePasskeyRow(tx: Tx, id: number, changes: Updateable<Schema['passkey']>): Promise<void> {
  await tx.updateTable('passkey').set(changes).where('id', '=', id).execute();
}

export async function deletePasskeyItems(tx: Tx, eventId: number, passkeyId: number): Promise<void> {
  await tx.deleteFrom('passkey_item').where('event_id', '=', eventId).where('passkey_id', '=', passkeyId).execute();
}

/** Every one of the passkeys with every one of the items. */
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

/** Inserts the codes in the order given and answers those that were free, in the same order. */
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
