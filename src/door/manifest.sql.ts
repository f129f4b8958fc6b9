import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export interface DoorRow {
  salt: string;
  codes_deleted: number;
  disputed_tickets: 'admit' | 'refuse';
  reentry: 'none' | 'once' | 'unlimited';
  /** The number of the last ticket change of the event, or 0. */
  last_change: number;
  /** A number that is larger than the id of every scan. */
  next_scan: number;
  database_history_id: string;
}

/**
 * Identifies the history of this database: the cluster, its timeline, the database and the table. A restored backup or a promoted standby
 * continues from an older state and assigns the same change and scan numbers to other rows. A cursor is valid only for the history in which
 * it was created, so every cursor contains this id.
 */
const databaseHistoryId = sql`
  (select substr(md5(concat_ws(' ', s.system_identifier, k.timeline_id, (select oid from pg_database where datname = current_database()),
                               'ticket_change'::regclass::oid)), 1, 16)
     from pg_control_system() s, pg_control_checkpoint() k)`;

export async function selectDoor(tx: Tx, eventId: number): Promise<DoorRow> {
  const { rows } = await sql<DoorRow>`
    select encode(salt, 'hex') as salt, codes_deleted, e.disputed_tickets, e.reentry, l.last_change,
           coalesce(pg_sequence_last_value('checkin_id'), 0) + 1 as next_scan, ${databaseHistoryId} as database_history_id
      from door d join ticket_log l on l.event_id = d.event_id join event e on e.id = d.event_id where d.event_id = ${eventId}`.execute(tx);
  if (!rows[0]) throw new Error(`Event ${eventId} has no row in table door or ticket_log`);
  return rows[0];
}

const hashOf = (code: string) => sql`encode(substr(sha256(d.salt || convert_to(${sql.ref(code)}, 'UTF8')), 1, 16), 'hex')`;

export interface ManifestTicket {
  id: number;
  item_id: number;
  session_ids: number[];
  status: 'valid' | 'refunded';
  disputed: boolean;
  code_hash: string | null;
}

/** Returns a page of the tickets of an event, ordered by id. Refunded tickets are included. */
export async function selectTickets(tx: Tx, eventId: number, afterId: number, limit: number): Promise<ManifestTicket[]> {
  const { rows } = await sql<ManifestTicket>`
    select t.id, t.item_id, t.session_ids, t.status, t.disputed, ${hashOf('c.code')} as code_hash
      from ticket t
      join door d on d.event_id = t.event_id
      left join external_code c on c.event_id = t.event_id and c.id = t.external_code_id
     where t.event_id = ${eventId} and t.id > ${afterId} order by t.id limit ${limit}`.execute(tx);
  return rows;
}

export interface ChangedTicket extends ManifestTicket {
  /** The sequence number of the latest change to this ticket in the page. */
  change: number;
}

/**
 * Returns the tickets of the next changes, ordered by change. A change may have many tickets and is never split, so the page may exceed
 * `limit`. A ticket that changed several times is returned once. Every order has at least one ticket, so `changes` has all changes of the
 * page, and the tickets of few others.
 */
export async function selectChangedTickets(tx: Tx, eventId: number, after: number, limit: number): Promise<ChangedTicket[]> {
  const { rows } = await sql<ChangedTicket>`
    with next_changes as (
      select id, issued_order_ids, changed_ids, cardinality(coalesce(issued_order_ids, changed_ids)) as size
        from ticket_change where event_id = ${eventId} and id > ${after} order by id limit ${limit}),
    changes as materialized (
      select * from (select *, sum(size) over (order by id) - size as before from next_changes) c where before < ${limit}),
    tickets as (
      select c.id as change, t.id as ticket_id from changes c join ticket t on t.event_id = ${eventId} and t.order_id = any(c.issued_order_ids)
      union all
      select c.id, ticket_id from changes c cross join unnest(c.changed_ids) as ticket_id),
    changed as materialized (
      select ticket_id, max(change) as change
        from (select *, count(*) over (order by change) - count(*) over (partition by change) as before from tickets) t
       where before < ${limit} group by ticket_id)
    select t.id, t.item_id, t.session_ids, t.status, t.disputed, ${hashOf('c.code')} as code_hash, h.change
      from changed h
      join ticket t on t.event_id = ${eventId} and t.id = h.ticket_id
      join door d on d.event_id = ${eventId}
      left join external_code c on c.event_id = t.event_id and c.id = t.external_code_id
     order by h.change, t.id`.execute(tx);
  return rows;
}

export interface ChangedAdmission {
  ticket_id: number | null;
  external_code_id: number | null;
  session_id: number | null;
  at: Date;
  gate: string | null;
  inside: boolean;
  entries: number;
  undone: boolean;
  id: number;
  /** The number of changed scans that were read for this page. */
  read: number;
}

/** Whether an undone scan can be left out: the ticket has an admission in that session, or another scan of the ticket was undone later. */
const isSuperseded = sql.raw(`exists (
  select 1 from checkin o
   where o.event_id = c.event_id and (o.ticket_id = c.ticket_id or (o.ticket_id is null and o.external_code_id = c.external_code_id))
     and o.session_id is not distinct from c.session_id and (o.state = 'inside' or o.state = 'undone' and o.changed_id > c.changed_id))`);

/**
 * Returns new and undone admissions, in the order in which they were logged. Writes for an event take the lock of its door, so they happen
 * one after the other. No row can appear later with a smaller id than a row that was already read.
 */
export async function selectChangedAdmissions(tx: Tx, eventId: number, after: number, limit: number): Promise<ChangedAdmission[]> {
  const { rows } = await sql<ChangedAdmission>`
    select *, not undone as inside, case when undone then 0 else 1 end as entries, count(*) over () as read from (
    (select ticket_id, external_code_id, session_id, at, gate, false as undone, id from checkin
      where event_id = ${eventId} and id > ${after} and changed_id is null and state = 'inside' order by id limit ${limit})
    union all
    (select ticket_id, external_code_id, session_id, at, gate, state = 'undone', changed_id from checkin c
      where event_id = ${eventId} and changed_id > ${after} and (state = 'inside' or state = 'undone' and not ${isSuperseded})
      order by changed_id limit ${limit})
    order by id limit ${limit}) changed order by id`.execute(tx);
  return rows;
}

/**
 * Like `selectChangedAdmissions`, for events that allow re-entry. A scan of a guest may change whether the guest is inside, so each changed scan
 * results in the current state of its ticket in its session.
 */
export async function selectChangedSlots(tx: Tx, eventId: number, after: number, limit: number): Promise<ChangedAdmission[]> {
  const { rows } = await sql<ChangedAdmission>`
    with page as materialized (
      (select ticket_id, external_code_id, session_id, at, id from checkin
        where event_id = ${eventId} and id > ${after} and state <> 'refused' order by id limit ${limit})
      union all
      (select ticket_id, external_code_id, session_id, at, changed_id from checkin
        where event_id = ${eventId} and changed_id > ${after} order by changed_id limit ${limit})
      order by id limit ${limit}),
    slot as (
      select ticket_id, external_code_id, session_id, max(at) as at, max(id) as id, (select count(*) from page) as read from page group by 1, 2, 3)
    select s.ticket_id, s.external_code_id, s.session_id, coalesce(c.at, s.at) as at, c.gate, c.entries > c.exits as inside, c.entries,
           c.entries = 0 as undone, s.id, s.read
      from slot s cross join lateral (
        select count(*) filter (where c.state <> 'exited') as entries, count(*) filter (where c.state = 'exited') as exits,
               max(c.at) filter (where c.state <> 'exited') as at,
               (array_agg(c.gate order by c.at desc, c.device desc, c.nonce desc) filter (where c.state <> 'exited'))[1] as gate
          from checkin c
         where c.event_id = ${eventId} and c.state in ('inside', 'reentered', 'exited')
           and (c.ticket_id = s.ticket_id or c.ticket_id is null and c.external_code_id = s.external_code_id)
           and c.session_id is not distinct from s.session_id) c
     order by s.id`.execute(tx);
  return rows;
}

export interface ImportedCode {
  id: number;
  item_id: number;
  session_id: number | null;
  code_hash: string;
}

/**
 * Returns codes of tickets that were sold elsewhere, ordered by id. Imports into an event happen one after the other, so no code can appear
 * later with a smaller id than a code that was already read. A code that is assigned to one of our tickets is returned with that ticket.
 * These are the codes of the view `code_guest`, which is not used here, because it also computes sessions that the manifest does not need.
 */
export async function selectImportedCodes(tx: Tx, eventId: number, afterId: number, limit: number): Promise<ImportedCode[]> {
  const { rows } = await sql<ImportedCode>`
    select c.id, c.item_id, c.session_id, ${hashOf('c.code')} as code_hash
      from door d join item i on i.event_id = ${eventId} and i.type = 'external'
     cross join lateral (
       select g.id, g.item_id, g.session_id, g.code from external_code g
        where g.event_id = ${eventId} and g.item_id = i.id and g.id > ${afterId} order by g.id limit ${limit}) c
     where d.event_id = ${eventId} order by c.id limit ${limit}`.execute(tx);
  return rows;
}
