import { type RawBuilder, sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Locale } from '../kernel/locale.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { startsWithText } from '../postgres/text-search.ts';
import type { EntryStatus } from './contract.ts';

export interface EntryRow {
  event_id: number;
  id: number;
  line_id: number;
  item_id: number;
  item_name: string;
  session_id: number | null;
  quantity: number;
  email: string | null;
  locale: Locale;
  /** The worker closes an entry some time after its order has ended. The order decides. */
  status: EntryStatus;
  place: number | null;
  order_id: number | null;
  order_status: 'held' | 'approved' | 'expired' | 'cancelled' | 'refunded' | null;
  order_expires_at: Date | null;
  position: number | null;
  created_at: Date;
  confirmed_at: Date | null;
  offered_at: Date | null;
}

/** Selects all fields of `EntryRow`. Append a `where` clause. */
const wholeEntry = sql`
  select e.event_id, e.id, e.line_id, l.item_id, i.name as item_name, l.session_id, e.quantity, e.email, e.locale, e.status, e.place, e.order_id,
         o.status as order_status, o.expires_at as order_expires_at, e.created_at, e.confirmed_at, e.offered_at,
         case when e.status = 'waiting' then
           (select count(*) from waiting_entry f
             where f.event_id = e.event_id and f.line_id = e.line_id and f.status = 'waiting' and f.place <= e.place) end as position
    from waiting_entry e
    join waiting_line l on l.event_id = e.event_id and l.id = e.line_id
    join item i on i.event_id = l.event_id and i.id = l.item_id
    left join ticket_order o on o.event_id = e.event_id and o.id = e.order_id`;

export async function selectEntry(tx: Tx, { eventId, id }: RowKey): Promise<EntryRow | undefined> {
  return (await sql<EntryRow>`${wholeEntry} where e.event_id = ${eventId} and e.id = ${id}`.execute(tx)).rows[0];
}

export async function selectEntryByToken(tx: Tx, eventId: number, tokenHash: Buffer): Promise<EntryRow | undefined> {
  const { rows } = await sql<EntryRow>`
    ${wholeEntry} where e.event_id = ${eventId} and e.id = (
      select entry_id from waiting_link where event_id = ${eventId} and token_hash = ${tokenHash})`.execute(tx);
  return rows[0];
}

export interface EntryFilter {
  eventId: number;
  status: EntryStatus | undefined;
  itemId: number | undefined;
  term: string | undefined;
  at: Date;
}

/** The status that people see: an offer ends with its order, even if the worker has not closed the entry yet. */
export const shownStatus = (at: Date) => sql`
  case when e.status in ('offered', 'lapsed') and o.approved_at is not null then 'bought'
       when e.status = 'offered' and (o.status <> 'held' or o.expires_at <= ${at}) then 'lapsed' else e.status end`;

const matching = ({ eventId, status, itemId, term, at }: EntryFilter): RawBuilder<unknown> =>
  sql.join(
    [
      sql`e.event_id = ${eventId}`,
      ...(status === undefined ? [] : [sql`${shownStatus(at)} = ${status}`]),
      ...(itemId === undefined ? [] : [sql`l.item_id = ${itemId}`]),
      ...(term === undefined ? [] : [startsWithText('e.email', term)]),
    ],
    sql` and `,
  );

/** Entries without a place come last. */
const lastPlace = Number.MAX_SAFE_INTEGER;

export type EntryKey = readonly [place: number, id: number];
export const keyOf = ({ place, id }: EntryRow): EntryKey => [place ?? lastPlace, id];

export async function selectEntries(tx: Tx, filter: EntryFilter, after: EntryKey | null, limit: number): Promise<EntryRow[]> {
  const place = sql`coalesce(e.place, ${sql.lit(lastPlace)})`;
  const start = after ? sql`(${place}, e.id) > (${after[0]}, ${after[1]})` : sql`true`;
  const { rows } = await sql<EntryRow>`
    ${wholeEntry} where ${matching(filter)} and ${start} order by ${place}, e.id limit ${limit}`.execute(tx);
  return rows;
}

export async function countEntries(tx: Tx, filter: EntryFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from waiting_entry e join waiting_line l on l.event_id = e.event_id and l.id = e.line_id
      left join ticket_order o on o.event_id = e.event_id and o.id = e.order_id where ${matching(filter)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

export interface NewEntryRow {
  eventId: number;
  lineId: number;
  quantity: number;
  email: string;
  locale: Locale;
  at: Date;
  /** Entries that were made before this can no longer be confirmed. */
  confirmableFrom: Date;
}

/**
 * Inserts an entry, and returns its id. An entry of the same address stays as it is: a stranger must not change what the person has read in the
 * mail and confirms. It is replaced only when nobody can confirm it any more.
 */
export async function upsertEntry(tx: Tx, { eventId, lineId, quantity, email, locale, at, confirmableFrom }: NewEntryRow): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into waiting_entry as e (event_id, line_id, quantity, email, locale, status, created_at)
    values (${eventId}, ${lineId}, ${quantity}, ${email}, ${locale}, 'unconfirmed', ${at})
    on conflict (event_id, line_id, email) where status in ('unconfirmed', 'waiting', 'offered') do update
      set quantity = case when e.status = 'unconfirmed' and e.created_at <= ${confirmableFrom} then excluded.quantity else e.quantity end,
          locale = case when e.status = 'unconfirmed' and e.created_at <= ${confirmableFrom} then excluded.locale else e.locale end,
          created_at = case when e.status = 'unconfirmed' then excluded.created_at else e.created_at end
    returning e.id`.execute(tx);
  return rows[0]?.id ?? 0;
}

export async function insertLink(tx: Tx, { eventId, id }: RowKey, tokenHash: Buffer): Promise<void> {
  await tx.insertInto('waiting_link').values({ event_id: eventId, token_hash: tokenHash, entry_id: id }).execute();
}

/** The place is drawn under the lock of the items, so places are in the order of the commits. */
export const confirmEntry = ({ eventId, id }: RowKey, at: Date): Statement => sql`
  update waiting_entry set status = 'waiting', place = nextval('waiting_place'), confirmed_at = ${at}
   where event_id = ${eventId} and id = ${id} and status = 'unconfirmed'`;

export const closeEntry = ({ eventId, id }: RowKey, status: 'left' | 'removed', at: Date): Statement => sql`
  update waiting_entry set status = ${status}, closed_at = ${at}, email = null where event_id = ${eventId} and id = ${id}`;

export const eraseEmail = ({ eventId, id }: RowKey): Statement => sql`
  update waiting_entry set email = null where event_id = ${eventId} and id = ${id}`;

export interface OfferedEntry extends RowKey {
  orderId: number;
}

export const markOffered = (eventId: number, entries: readonly OfferedEntry[], at: Date): Statement => sql`
  update waiting_entry e set status = 'offered', order_id = d.order_id, offered_at = ${at}
    from unnest(${entries.map(({ id }) => id)}::bigint[], ${entries.map(({ orderId }) => orderId)}::bigint[]) as d (id, order_id)
   where e.event_id = ${eventId} and e.id = d.id`;

/** The wait ends, because the item no longer allows the quantity of the entry. */
export const markRemoved = (eventId: number, ids: readonly number[], at: Date): Statement => sql`
  update waiting_entry set status = 'removed', closed_at = ${at} where event_id = ${eventId} and id = any(${ids}::bigint[])`;
