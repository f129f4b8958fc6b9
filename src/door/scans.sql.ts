import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { ItemType } from '../catalog/item-types.ts';
import { groupBy } from '../kernel/group-by.ts';
import { numberList, textList } from '../postgres/array-parameters.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { Schema } from '../postgres/schema.ts';

type Log = Selectable<Schema['checkin']>;

export type LoggedScanRow = Omit<Log, 'event_id' | 'user_id' | 'received_at' | 'changed_id'>;

export const loggedColumns = sql.raw(
  'c.id, c.nonce, c.ticket_id, c.external_code_id, c.item_id, c.session_id, c.at, c.gate, c.device, c.result, c.used_at, c.used_gate, c.state',
);

/** Selects scans that do not count as entries. The `order by` makes PostgreSQL use the right index (see `check-in.sql.ts`). */
export const scansWithoutAdmissionByNonce = (eventId: number, nonces: readonly string[]): RawBuilder<LoggedScanRow> => sql<LoggedScanRow>`
  select ${loggedColumns} from checkin c
   where c.event_id = ${eventId} and c.nonce = any(${textList(nonces)}::text[]) and c.state <> 'inside' order by c.nonce`;

/** Returns scans in state `inside`, optionally within a time range. Without a range it reads all admissions of the event. */
export async function selectInsideByNonce(
  tx: Tx,
  eventId: number,
  nonces: readonly string[],
  scanned?: { from: Date; to: Date },
): Promise<LoggedScanRow[]> {
  const { rows } = await sql<LoggedScanRow>`
    select ${loggedColumns} from checkin c
     where c.event_id = ${eventId} and c.nonce = any(${nonces}::text[]) and c.state = 'inside'
       and ${scanned ? sql`c.at between ${scanned.from} and ${scanned.to}` : sql`true`}`.execute(tx);
  return rows;
}

export interface UndoRow {
  undoes: string;
  at: Date;
  device: string;
}

/** A scan that is not in the log yet. Times are in milliseconds. */
export interface NewScan extends Omit<LoggedScanRow, 'id' | 'at' | 'used_at'> {
  direction: 'in' | 'out';
  at: number;
  used_at: number | null;
  user_id: number | null;
}

const timeOf = (column: string) => sql`timestamptz 'epoch' + ${sql.ref(column)} * interval '1 millisecond'`;

/** Sends an empty array for a column that has only nulls, which makes the statement shorter: `unnest` fills missing rows with null. */
const emptyIfAllNull = <T>(values: readonly (T | null)[]): readonly (T | null)[] => (values.every((value) => value === null) ? [] : values);

/**
 * Sends one array per column, because PostgreSQL reads arrays several times faster than JSON rows. Each array has its own `unnest`, which is
 * faster than one `unnest` of all arrays.
 */
export const insertScans = (eventId: number, receivedAt: Date, scans: readonly NewScan[]): Statement => sql`
  insert into checkin (event_id, received_at, nonce, ticket_id, external_code_id, item_id, session_id, at, gate, device, user_id, result,
                       used_at, used_gate, state)
  select ${eventId}::bigint, ${receivedAt}::timestamptz, nonce, ticket_id, external_code_id, item_id, session_id, ${timeOf('at')}, gate, device,
         user_id, result, ${timeOf('used_at')}, used_gate, state
    from (
      select unnest(${textList(scans.map(({ nonce }) => nonce))}::text[]) as nonce,
             unnest(${numberList(scans.map(({ ticket_id }) => ticket_id))}::bigint[]) as ticket_id,
             unnest(${numberList(emptyIfAllNull(scans.map(({ external_code_id }) => external_code_id)))}::bigint[]) as external_code_id,
             unnest(${numberList(scans.map(({ item_id }) => item_id))}::bigint[]) as item_id,
             unnest(${numberList(scans.map(({ session_id }) => session_id))}::bigint[]) as session_id,
             unnest(${numberList(scans.map(({ at }) => at))}::bigint[]) as at,
             unnest(${textList(scans.map(({ gate }) => gate))}::text[]) as gate,
             unnest(${textList(scans.map(({ device }) => device))}::text[]) as device,
             unnest(${numberList(scans.map(({ user_id }) => user_id))}::bigint[]) as user_id,
             unnest(${textList(scans.map(({ result }) => result))}::text[]) as result,
             unnest(${numberList(emptyIfAllNull(scans.map(({ used_at }) => used_at)))}::bigint[]) as used_at,
             unnest(${textList(emptyIfAllNull(scans.map(({ used_gate }) => used_gate)))}::text[]) as used_gate,
             unnest(${textList(scans.map(({ state }) => state))}::text[]) as state) scan`;

/**
 * Draws numbers for changed scans. The caller holds the lock of the door, because devices read the changes of an event in the order of their
 * numbers. Citus refuses `nextval` in an update, so this is a statement of its own.
 */
export async function newChangeIds(tx: Tx, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select nextval('checkin_id') as id from generate_series(1, ${count})`.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * Returns one statement per new state. A unique constraint allows one `inside` scan per ticket and session, so scans become `inside` last. Each
 * scan gets one of the `changeIds`.
 */
export function changeStates(
  eventId: number,
  changed: readonly { id: number; state: Log['state'] }[],
  changeIds: readonly number[],
): Statement[] {
  const numbered = changed.map(({ id, state }, i) => ({ id, state, changeId: changeIds[i] as number }));
  const byState = [...groupBy(numbered, ({ state }) => state)].toSorted(([a], [b]) => Number(a === 'inside') - Number(b === 'inside'));
  return byState.map(([state, scans]) =>
    changeState(
      eventId,
      scans.map(({ id }) => id),
      state,
      scans.map(({ changeId }) => changeId),
    ),
  );
}

const changeState = (eventId: number, ids: readonly number[], state: Log['state'], changeIds: readonly number[]): Statement => sql`
  update checkin c set state = ${state}, changed_id = m.changed_id
    from unnest(${numberList(ids)}::bigint[], ${numberList(changeIds)}::bigint[]) as m (id, changed_id)
   where c.event_id = ${eventId} and c.id = m.id`;

/** Marks the sessions as used at the door. A session with such a row cannot be deleted. */
export const insertDoorSessions = (eventId: number, sessionIds: readonly number[]): Statement => sql`
  insert into door_session (event_id, session_id) select ${eventId}, unnest(${sessionIds}::bigint[]) on conflict do nothing`;

export interface NewUndo {
  nonce: string;
  undoes: string;
  at: Date;
  device: string;
  user_id: number | null;
}

/** Skips an undo whose nonce is already stored, so that a device can send the same undo again. */
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

export async function selectReentry(tx: Tx, eventId: number): Promise<'none' | 'once' | 'unlimited'> {
  const row = await tx.selectFrom('event').select('reentry').where('id', '=', eventId).executeTakeFirst();
  return row?.reentry ?? 'none';
}

export interface SlotScanRow extends LoggedScanRow {
  item_id: number;
  item_type: ItemType;
  refunded: boolean;
}

/** Returns all scans that count in some way, of the same tickets and sessions as these scans. */
export async function selectScansOfSameSlots(tx: Tx, eventId: number, ids: readonly number[]): Promise<SlotScanRow[]> {
  const { rows } = await sql<SlotScanRow>`
    with about as materialized (
      select distinct ticket_id, external_code_id, session_id from checkin where event_id = ${eventId} and id = any(${ids}::bigint[]))
    select c.*, i.type as item_type, coalesce(t.status = 'refunded', false) as refunded from about b cross join lateral (
      select ${loggedColumns} from checkin c where c.event_id = ${eventId} and c.state = 'inside' and ${sameSlot}
      union all
      select ${loggedColumns} from checkin c where c.event_id = ${eventId} and c.state in ('reentered', 'exited', 'double', 'unmatched')
         and ${sameSlot}) c
      join item i on i.event_id = ${eventId} and i.id = c.item_id
      left join ticket t on t.event_id = ${eventId} and t.id = c.ticket_id`.execute(tx);
  return rows;
}

/** Tickets and codes are compared with `=`, because PostgreSQL uses no index for `is not distinct from`. */
const sameSlot = sql.raw(`
  (c.ticket_id = b.ticket_id or (c.ticket_id is null and c.external_code_id = b.external_code_id))
  and c.session_id is not distinct from b.session_id`);

export interface UnusedCode {
  id: number;
  of_ticket: boolean;
}

/** Returns the imported codes of these scans that have no admission in any session any more. */
export async function selectUnusedCodes(tx: Tx, eventId: number, ids: readonly number[]): Promise<UnusedCode[]> {
  const { rows } = await sql<UnusedCode>`
    select coalesce(t.external_code_id, b.external_code_id) as id, t.id is not null as of_ticket
      from checkin b left join ticket t on t.event_id = b.event_id and t.id = b.ticket_id
     where b.event_id = ${eventId} and b.id = any(${ids}::bigint[])
       and coalesce(t.external_code_id, b.external_code_id) is not null
       and not exists (
         select 1 from admission a where a.event_id = b.event_id
            and (a.ticket_id = b.ticket_id or (a.ticket_id is null and a.external_code_id = b.external_code_id)))`.execute(tx);
  return rows;
}
