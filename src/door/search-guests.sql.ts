import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { FoundGuest } from './search-contract.ts';

/** The condition for a name: each word of the text is the beginning of a word of the name. */
const nameMatches = (q: string) => sql`
  t.holder is not null and trim(plain_text(${q})) <> ''
  and not exists (select 1 from unnest(string_to_array(plain_text(${q}), ' ')) as word
                   where word <> '' and position(' ' || word in ' ' || plain_text(t.holder)) = 0)`;

/** The condition for a document, which people write with or without dots and dashes. */
const documentMatches = (q: string) => sql`
  starts_with(replace(plain_text(o.buyer_document), ' ', ''), nullif(replace(plain_text(${q}), ' ', ''), ''))`;

/** Reads the orders of the event, which have no index of names: an index would slow down sales. Searches at the door are rare. */
export async function selectFoundGuests(
  tx: Tx,
  eventId: number,
  q: string,
  sessionId: number | null,
  limit: number,
): Promise<FoundGuest[]> {
  const ofSession = sessionId === null ? sql`true` : sql`t.session_ids @> array[${sessionId}::bigint]`;
  const inSession = sessionId === null ? sql`true` : sql`a.session_id = ${sessionId}`;
  const { rows } = await sql<FoundGuest>`
    select t.id as "ticketId", t.holder, i.name as item,
           exists (select 1 from item_attribute h where h.event_id = i.event_id and h.item_id = i.id and h.key = 'halfPrice' and h.value = 'true')
             as "halfPrice",
           case when t.status = 'refunded' then 'refunded'
                when exists (select 1 from admission a where a.event_id = t.event_id and a.ticket_id = t.id and ${inSession}) then 'used'
                else 'valid' end as state
      from ticket t
      join ticket_order o on o.event_id = t.event_id and o.id = t.order_id
      join item i on i.event_id = t.event_id and i.id = t.item_id
     where t.event_id = ${eventId} and ${ofSession} and (${nameMatches(q)} or ${documentMatches(q)})
     order by plain_text(t.holder), t.id limit ${limit}`.execute(tx);
  return rows;
}
