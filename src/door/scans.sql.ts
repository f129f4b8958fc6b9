import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/together.ts';
import type { ScanResult } from './contract.ts';

/** One batch of scans of an event is decided after the other: what is read after this stays as it is. */
export async function lockDoor(tx: Tx, eventId: number): Promise<void> {
  await sql`select from door where event_id = ${eventId} for no key update`.execute(tx);
}

/** Nobody deletes or sells what is being scanned. */
export async function lockCodes(tx: Tx, eventId: number, codes: readonly string[]): Promise<void> {
  if (codes.length === 0) return;
  await sql`
    select from external_code where event_id = ${eventId} and code = any(${codes}::text[]) order by id for no key update`.execute(tx);
}

/** Times are milliseconds. */
export interface Admission {
  sessionId: number | null;
  nonce: string;
  at: number;
  device: string;
  gate: string | null;
  undone: boolean;
}

const milliseconds = (column: string) => sql`(extract(epoch from ${sql.ref(column)}) * 1000)::bigint`;

const admissionJson = sql`json_build_object('sessionId', a.session_id, 'nonce', a.nonce, 'at', ${milliseconds('a.at')}, 'device', a.device,
                                            'gate', a.gate, 'undone', a.undone)`;

export interface SubjectRow {
  ticket_id: number | null;
  code_id: number | null;
  imported_code_id: number | null;
  item_id: number;
  holder: string | null;
  refunded: boolean;
  /** Null for a code that was imported for no session in particular. */
  session_ids: number[] | null;
  admissions: Admission[] | null;
}

/** Those whose code we sign. */
export async function selectTickets(tx: Tx, eventId: number, ids: readonly number[]): Promise<SubjectRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SubjectRow>`
    select t.id as ticket_id, null as code_id, null as imported_code_id, t.item_id, o.buyer_name as holder,
           t.status = 'refunded' as refunded, l.session_ids,
           (select json_agg(${admissionJson}) from admission a where a.event_id = t.event_id and a.ticket_id = t.id) as admissions
      from ticket t
      join order_line l on l.event_id = t.event_id and l.order_id = t.order_id and l.item_id = t.item_id
      join ticket_order o on o.event_id = t.event_id and o.id = t.order_id
     where t.event_id = ${eventId} and t.id = any(${ids}::bigint[]) and t.external_code_id is null`.execute(tx);
  return rows;
}

export interface CodeSubjectRow extends SubjectRow {
  code: string;
}

/** By imported codes: the ticket that carries it, or, of an item that is sold elsewhere, the code itself. */
export async function selectByCode(tx: Tx, eventId: number, codes: readonly string[]): Promise<CodeSubjectRow[]> {
  if (codes.length === 0) return [];
  const { rows } = await sql<CodeSubjectRow>`
    select c.code, t.id as ticket_id, case when t.id is null then c.id end as code_id, c.id as imported_code_id, c.item_id,
           coalesce(o.buyer_name, c.holder_name) as holder, coalesce(t.status = 'refunded', false) as refunded,
           coalesce(l.session_ids, case when c.session_id is not null then array[c.session_id] end) as session_ids,
           (select json_agg(${admissionJson}) from (
             select * from admission a where a.event_id = c.event_id and a.ticket_id = t.id
             union all
             select * from admission a where a.event_id = c.event_id and a.ticket_id is null and a.external_code_id = c.id) a) as admissions
      from external_code c
      join item i on i.id = c.item_id
      left join ticket t on t.external_code_id = c.id
      left join order_line l on l.event_id = t.event_id and l.order_id = t.order_id and l.item_id = t.item_id
      left join ticket_order o on o.event_id = t.event_id and o.id = t.order_id
     where c.event_id = ${eventId} and c.code = any(${codes}::text[]) and (t.id is not null or i.type = 'external')`.execute(tx);
  return rows;
}

export interface LoggedScan {
  nonce: string;
  ticket_id: number | null;
  external_code_id: number | null;
  item_id: number | null;
  session_id: number | null;
  at: Date;
  gate: string | null;
  device: string;
  result: ScanResult;
  used_at: Date | null;
  used_gate: string | null;
}

const loggedColumns = sql.raw(
  'c.nonce, c.ticket_id, c.external_code_id, c.item_id, c.session_id, c.at, c.gate, c.device, c.result, c.used_at, c.used_gate',
);

export async function selectScans(tx: Tx, eventId: number, nonces: readonly string[]): Promise<LoggedScan[]> {
  const { rows } = await sql<LoggedScan>`
    select ${loggedColumns} from checkin c where c.event_id = ${eventId} and c.nonce = any(${nonces}::text[])`.execute(tx);
  return rows;
}

export interface UndoRow {
  undoes: string;
  at: Date;
  device: string;
}

export async function selectUndos(tx: Tx, eventId: number, nonces: readonly string[]): Promise<UndoRow[]> {
  const { rows } = await sql<UndoRow>`
    select undoes, at, device from checkin_undo where event_id = ${eventId} and undoes = any(${nonces}::text[])`.execute(tx);
  return rows;
}

export interface NewScan extends LoggedScan {
  user_id: number | null;
}

export const insertScans = (eventId: number, at: Date, scans: readonly NewScan[]): Statement => sql`
  insert into checkin (event_id, received_at, nonce, ticket_id, external_code_id, item_id, session_id, at, gate, device, user_id, result,
                       used_at, used_gate)
  select ${eventId}::bigint, ${at}::timestamptz, s.* from json_to_recordset(${JSON.stringify(scans)}) as s (
    nonce text, ticket_id bigint, external_code_id bigint, item_id bigint, session_id bigint, at timestamptz, gate text, device text,
    user_id bigint, result text, used_at timestamptz, used_gate text)`;

export interface AdmissionRow {
  ticket_id: number | null;
  external_code_id: number | null;
  session_id: number | null;
  item_id: number;
  nonce: string;
  at: Date;
  gate: string | null;
  device: string;
  undone: boolean;
}

export const putAdmissions = (eventId: number, admissions: readonly AdmissionRow[]): Statement => sql`
  insert into admission (event_id, ticket_id, external_code_id, session_id, item_id, nonce, at, gate, device, undone)
  select ${eventId}::bigint, a.* from json_to_recordset(${JSON.stringify(admissions)}) as a (
    ticket_id bigint, external_code_id bigint, session_id bigint, item_id bigint, nonce text, at timestamptz, gate text, device text,
    undone boolean)
  on conflict on constraint admission_once do update
    set nonce = excluded.nonce, at = excluded.at, gate = excluded.gate, device = excluded.device, undone = excluded.undone,
        changed_in = excluded.changed_in`;

export interface DoubleRow {
  nonce: string;
  ticket_id: number | null;
  external_code_id: number | null;
  session_id: number | null;
}

export const insertDoubles = (eventId: number, doubles: readonly DoubleRow[]): Statement => sql`
  insert into double_entry (event_id, nonce, ticket_id, external_code_id, session_id)
  select ${eventId}::bigint, d.* from json_to_recordset(${JSON.stringify(doubles)}) as d (
    nonce text, ticket_id bigint, external_code_id bigint, session_id bigint)`;

export const deleteDoubles = (eventId: number, nonces: readonly string[]): Statement => sql`
  delete from double_entry where event_id = ${eventId} and nonce = any(${nonces}::text[])`;

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

/** All good scans, still counted, of the tickets and sessions that these are scans of. */
export async function selectCounted(tx: Tx, eventId: number, nonces: readonly string[]): Promise<LoggedScan[]> {
  const { rows } = await sql<LoggedScan>`
    with about as (
      select distinct ticket_id, external_code_id, session_id from checkin where event_id = ${eventId} and nonce = any(${nonces}::text[])),
    counted as (
      select a.nonce from about b, lateral (select * from admission a where a.event_id = ${eventId} and not a.undone and ${sameSubject}) a
      union all
      select a.nonce from about b, lateral (select * from double_entry a where a.event_id = ${eventId} and ${sameSubject}) a)
    select ${loggedColumns} from counted join checkin c on c.event_id = ${eventId} and c.nonce = counted.nonce`.execute(tx);
  return rows;
}

/** Written so that an index can be used, which `is not distinct from` does not. */
const sameSubject = sql.raw(`
  (a.ticket_id = b.ticket_id or (a.ticket_id is null and a.external_code_id = b.external_code_id))
  and a.session_id is not distinct from b.session_id`);

export interface FreeCode {
  id: number;
  of_ticket: boolean;
}

/** The imported codes of those admissions, where nobody is inside by them in any session. */
export async function selectFreeCodes(tx: Tx, eventId: number, nonces: readonly string[]): Promise<FreeCode[]> {
  const { rows } = await sql<FreeCode>`
    select coalesce(t.external_code_id, b.external_code_id) as id, t.id is not null as of_ticket
      from checkin b left join ticket t on t.event_id = b.event_id and t.id = b.ticket_id
     where b.event_id = ${eventId} and b.nonce = any(${nonces}::text[])
       and coalesce(t.external_code_id, b.external_code_id) is not null
       and not exists (
         select from admission a where a.event_id = b.event_id and not a.undone
            and (a.ticket_id = b.ticket_id or (a.ticket_id is null and a.external_code_id = b.external_code_id)))`.execute(tx);
  return rows;
}
