import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { numberList, textList } from '../postgres/lists.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { Schema } from '../postgres/schema.ts';

type Log = Selectable<Schema['checkin']>;

/** As it came and was told. */
export type LoggedScan = Omit<Log, 'event_id' | 'user_id' | 'received_at' | 'changed_id'>;

export const loggedColumns = sql.raw(
  'c.id, c.nonce, c.ticket_id, c.external_code_id, c.item_id, c.session_id, c.at, c.gate, c.device, c.result, c.used_at, c.used_gate, c.state',
);

/** Those by which nobody is inside. By the index that has this order, as the rest of what is looked up (`subjects.sql.ts`). */
export const notInsideByNonce = (eventId: number, nonces: readonly string[]): RawBuilder<LoggedScan> => sql<LoggedScan>`
  select ${loggedColumns} from checkin c
   where c.event_id = ${eventId} and c.nonce = any(${textList(nonces)}::text[]) and c.state <> 'inside' order by c.nonce`;

/** Those by which somebody is inside, made within that time, or at any. Who asks for any reads all of the event. */
export async function selectInside(
  tx: Tx,
  eventId: number,
  nonces: readonly string[],
  made?: { from: Date; to: Date },
): Promise<LoggedScan[]> {
  const { rows } = await sql<LoggedScan>`
    select ${loggedColumns} from checkin c
     where c.event_id = ${eventId} and c.nonce = any(${nonces}::text[]) and c.state = 'inside'
       and ${made ? sql`c.at between ${made.from} and ${made.to}` : sql`true`}`.execute(tx);
  return rows;
}

export interface UndoRow {
  undoes: string;
  at: Date;
  device: string;
}

/** Times are milliseconds. */
export interface NewScan extends Omit<LoggedScan, 'id' | 'at' | 'used_at'> {
  at: number;
  used_at: number | null;
  user_id: number | null;
}

const timeOf = (column: string) => sql`timestamptz 'epoch' + ${sql.ref(column)} * interval '1 millisecond'`;

/** Most say nothing: what is missing at the end of a column is null. */
const orNothing = <T>(values: readonly (T | null)[]): readonly (T | null)[] => (values.every((value) => value === null) ? [] : values);

/**
 * As lists and not as rows of JSON, which the database takes several times as long to read; and side by side, as they take longer to
 * read from one `unnest` of them all.
 */
export const insertScans = (eventId: number, receivedAt: Date, scans: readonly NewScan[]): Statement => sql`
  insert into checkin (event_id, received_at, nonce, ticket_id, external_code_id, item_id, session_id, at, gate, device, user_id, result,
                       used_at, used_gate, state)
  select ${eventId}::bigint, ${receivedAt}::timestamptz, nonce, ticket_id, external_code_id, item_id, session_id, ${timeOf('at')}, gate, device,
         user_id, result, ${timeOf('used_at')}, used_gate, state
    from (
      select unnest(${textList(scans.map(({ nonce }) => nonce))}::text[]) as nonce,
             unnest(${numberList(scans.map(({ ticket_id }) => ticket_id))}::bigint[]) as ticket_id,
             unnest(${numberList(orNothing(scans.map(({ external_code_id }) => external_code_id)))}::bigint[]) as external_code_id,
             unnest(${numberList(scans.map(({ item_id }) => item_id))}::bigint[]) as item_id,
             unnest(${numberList(scans.map(({ session_id }) => session_id))}::bigint[]) as session_id,
             unnest(${numberList(scans.map(({ at }) => at))}::bigint[]) as at,
             unnest(${textList(scans.map(({ gate }) => gate))}::text[]) as gate,
             unnest(${textList(scans.map(({ device }) => device))}::text[]) as device,
             unnest(${numberList(scans.map(({ user_id }) => user_id))}::bigint[]) as user_id,
             unnest(${textList(scans.map(({ result }) => result))}::text[]) as result,
             unnest(${numberList(orNothing(scans.map(({ used_at }) => used_at)))}::bigint[]) as used_at,
             unnest(${textList(orNothing(scans.map(({ used_gate }) => used_gate)))}::text[]) as used_gate,
             unnest(${textList(scans.map(({ state }) => state))}::text[]) as state) scan`;

/** Nobody is inside by a second scan at any moment: whoever was is changed before who is from now on. */
export const changeState = (eventId: number, ids: readonly number[], state: Log['state']): Statement => sql`
  update checkin set state = ${state}, changed_id = nextval('checkin_id_seq')
   where event_id = ${eventId} and id = any(${numberList(ids)}::bigint[])`;

/** From now on these sessions stay. */
export const insertDoorSessions = (eventId: number, sessionIds: readonly number[]): Statement => sql`
  insert into door_session (event_id, session_id) select ${eventId}, unnest(${sessionIds}::bigint[]) on conflict do nothing`;

export interface NewUndo {
  nonce: string;
  undoes: string;
  at: Date;
  device: string;
  user_id: number | null;
}

/** One that is known already stays as it is. */
export const insertUndos = (eventId: number, at: Date, undos: readonly NewUndo[]): Statement => sql`
  insert into checkin_undo (event_id, received_at, nonce, undoes, at, device, user_id)
  select ${eventId}::bigint, ${at}::timestamptz, u.* from json_to_recordset(${JSON.stringify(undos)}) as u (
    nonce text, undoes text, at timestamptz, device text, user_id bigint)
  on conflict do nothing`;

export async function selectUndosByNonce(tx: Tx, eventId: number, nonces: readonly string[]): Promise<(UndoRow & { nonce: string })[]> {
  const { rows } = await sql<UndoRow & { nonce: string }>`
    select nonce, undoes, at, device from checkin_undo where event_id = ${eventId} and nonce = any(${nonces}::text[])`.execute(tx);
  return rows;
}

/** All good scans that were not taken back, of the tickets and sessions that these are scans of. */
export async function selectCounted(tx: Tx, eventId: number, ids: readonly number[]): Promise<LoggedScan[]> {
  const { rows } = await sql<LoggedScan>`
    with about as materialized (
      select distinct ticket_id, external_code_id, session_id from checkin where event_id = ${eventId} and id = any(${ids}::bigint[]))
    select c.* from about b cross join lateral (
      select ${loggedColumns} from checkin c where c.event_id = ${eventId} and c.state = 'inside' and ${sameSubject}
      union all
      select ${loggedColumns} from checkin c where c.event_id = ${eventId} and c.state = 'double' and ${sameSubject}) c`.execute(tx);
  return rows;
}

/** Written so that an index can be used, which `is not distinct from` does not. */
const sameSubject = sql.raw(`
  (c.ticket_id = b.ticket_id or (c.ticket_id is null and c.external_code_id = b.external_code_id))
  and c.session_id is not distinct from b.session_id`);

export interface FreeCode {
  id: number;
  of_ticket: boolean;
}

/** The imported codes of those scans, where nobody is inside by them in any session. */
export async function selectFreeCodes(tx: Tx, eventId: number, ids: readonly number[]): Promise<FreeCode[]> {
  const { rows } = await sql<FreeCode>`
    select coalesce(t.external_code_id, b.external_code_id) as id, t.id is not null as of_ticket
      from checkin b left join ticket t on t.event_id = b.event_id and t.id = b.ticket_id
     where b.event_id = ${eventId} and b.id = any(${ids}::bigint[])
       and coalesce(t.external_code_id, b.external_code_id) is not null
       and not exists (
         select from admission a where a.event_id = b.event_id
            and (a.ticket_id = b.ticket_id or (a.ticket_id is null and a.external_code_id = b.external_code_id)))`.execute(tx);
  return rows;
}
