import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export interface DoorRow {
  salt: string;
  codes_deleted: number;
  /** Every transaction before this one has ended, and what it did is seen from now on. */
  horizon: number;
  /** No transaction has begun with this number or a later one. */
  next: number;
  /** No scan has this number yet. */
  next_scan: number;
}

export async function selectDoor(tx: Tx, eventId: number): Promise<DoorRow> {
  const { rows } = await sql<DoorRow>`
    select encode(salt, 'hex') as salt, codes_deleted, pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon,
           pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next,
           coalesce(pg_sequence_last_value('checkin_id_seq'), 0) + 1 as next_scan
      from door where event_id = ${eventId}`.execute(tx);
  if (!rows[0]) throw new Error(`Event ${eventId} has no door`);
  return rows[0];
}

const hashOf = (code: string) => sql`encode(substr(sha256(d.salt || convert_to(${sql.ref(code)}, 'UTF8')), 1, 16), 'hex')`;

export interface ChangedTicket {
  id: number;
  item_id: number;
  session_ids: number[];
  status: 'valid' | 'refunded';
  code_hash: string | null;
  changed_in: number;
}

/** Changed in a transaction after this one; of the last transaction all of them, however many. */
export async function selectChangedTickets(tx: Tx, eventId: number, after: number, limit: number): Promise<ChangedTicket[]> {
  const { rows } = await sql<ChangedTicket>`
    with changed as materialized (
      select id, item_id, session_ids, status, external_code_id, changed_in from ticket
       where event_id = ${eventId} and changed_in > ${String(after)}::xid8
       order by changed_in fetch first ${sql.lit(limit)} rows with ties)
    select t.id, t.item_id, t.session_ids, t.status, ${hashOf('c.code')} as code_hash, t.changed_in::text::bigint as changed_in
      from changed t
      join door d on d.event_id = ${eventId}
      left join external_code c on c.id = t.external_code_id
     order by t.changed_in, t.id`.execute(tx);
  return rows;
}

export interface ChangedAdmission {
  ticket_id: number | null;
  external_code_id: number | null;
  session_id: number | null;
  at: Date;
  gate: string | null;
  undone: boolean;
  id: number;
}

/** Nothing is to be told of one that was taken back when somebody is inside all the same, or when another was taken back later. */
const someoneElseSince = sql.raw(`exists (
  select from checkin o
   where o.event_id = c.event_id and (o.ticket_id = c.ticket_id or (o.ticket_id is null and o.external_code_id = c.external_code_id))
     and o.session_id is not distinct from c.session_id and (o.state = 'inside' or o.state = 'undone' and o.changed_id > c.changed_id))`);

/**
 * In the order of the log: the scans of an event are written one batch after the other, so that none appears before one that was seen.
 */
export async function selectChangedAdmissions(tx: Tx, eventId: number, after: number, limit: number): Promise<ChangedAdmission[]> {
  const { rows } = await sql<ChangedAdmission>`
    (select ticket_id, external_code_id, session_id, at, gate, false as undone, id from checkin
      where event_id = ${eventId} and id > ${after} and changed_id is null and state = 'inside' order by id limit ${limit})
    union all
    (select ticket_id, external_code_id, session_id, at, gate, state = 'undone', changed_id from checkin c
      where event_id = ${eventId} and changed_id > ${after} and (state = 'inside' or state = 'undone' and not ${someoneElseSince})
      order by changed_id limit ${limit})
    order by id limit ${limit}`.execute(tx);
  return rows;
}

export interface ImportedCode {
  id: number;
  item_id: number;
  session_id: number | null;
  code_hash: string;
}

/**
 * Of items that are sold elsewhere, in the order of their ids: imports into an event come one after the other, so that none appears
 * before one that was seen. Codes that a ticket carries come with the ticket.
 */
export async function selectImportedCodes(tx: Tx, eventId: number, afterId: number, limit: number): Promise<ImportedCode[]> {
  const { rows } = await sql<ImportedCode>`
    select c.id, c.item_id, c.session_id, ${hashOf('c.code')} as code_hash
      from door d join item i on i.event_id = d.event_id and i.type = 'external'
     cross join lateral (
       select * from external_code e where e.item_id = i.id and e.id > ${afterId} and e.status <> 'assigned' order by e.id limit ${limit}) c
     where d.event_id = ${eventId} order by c.id limit ${limit}`.execute(tx);
  return rows;
}
