import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { allowLongQueries } from '../postgres/transaction.ts';
import { findingsOf } from './findings.sql.ts';

const maxAuditMs = 24 * 60 * 60_000;

/** Raises the limits of the transaction. The audit reads whole tables, so it may take longer and use more memory than a request. */
export async function liftLimits(tx: Tx): Promise<void> {
  await allowLongQueries(tx, maxAuditMs);
  await sql`select set_config('statement_timeout', '0', true), set_config('work_mem', '128MB', true)`.execute(tx);
}

export const disabledGuards = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('constraint %s on %s is not validated', conname, conrelid::regclass) as line
          from pg_constraint where not convalidated and connamespace = current_schema()::regnamespace
        union all
        select format('index %s is not valid', indexrelid::regclass) from pg_index join pg_class on pg_class.oid = indexrelid
         where not indisvalid and relnamespace = current_schema()::regnamespace
        union all
        select format('trigger %s on %s is disabled', tgname, tgrelid::regclass) from pg_trigger join pg_class on pg_class.oid = tgrelid
         where tgenabled = 'D' and relnamespace = current_schema()::regnamespace
        union all
        select format('%s can be changed: its trigger audit_log_append_only is missing', relid) from pg_partition_tree('audit_log')
         where not exists (select 1 from pg_trigger where tgname = 'audit_log_append_only' and tgrelid = relid)`,
  );

export const signingKeyCount = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('%s signing keys are active instead of 1', count(*)) as line from signing_key where retired_at is null having count(*) <> 1`,
  );

export const keysWithoutResponse = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('an idempotency key of %s from %s has no response', caller, created_at) as line from idempotency_key where answer is null`,
  );

export const producersWithoutOwner = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('producer %s has events and no owner', id) as line from producer
         where exists (select 1 from event where producer_id = producer.id)
           and not exists (select 1 from producer_member where producer_id = producer.id and role = 'owner')`,
  );

/** The row in `door` is the lock of the door, and the row in `ticket_log` numbers the changes to tickets. */
export const eventsWithoutRows = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('event %s has no row in %s', e.id, missing) as line
          from event e left join door d on d.event_id = e.id left join ticket_log l on l.event_id = e.id,
               lateral (select 'door' where d.event_id is null union all select 'ticket_log' where l.event_id is null) as rows (missing)`,
  );

export const itemsAgainstGroups = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('group %s counts %s sold and %s held; its items count %s and %s', g.id, g.sold, g.held, coalesce(sum(i.sold), 0),
                      coalesce(sum(i.held), 0)) as line
          from item g left join item i on i.event_id = g.event_id and i.parent_id = g.id where g.type = 'group'
         group by g.event_id, g.id having g.sold <> coalesce(sum(i.sold), 0) or g.held <> coalesce(sum(i.held), 0)`,
  );
