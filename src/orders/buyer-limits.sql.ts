import { type RawBuilder, sql } from 'kysely';
import { numberList, textList } from '../postgres/array-parameters.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface BuyerKey {
  eventId: number;
  itemId: number;
  /** Hash of the e-mail address or document, in hexadecimal. */
  buyer: string;
}

export interface BuyerCountRow {
  itemId: number;
  buyer: string;
  taken: number;
}

/** Sends each column as one text parameter. In measurements with hundreds of keys this was fastest, for Node and for PostgreSQL. */
const keyColumns = (keys: readonly BuyerKey[]) => sql`
  ${numberList(keys.map(({ eventId }) => eventId))}::bigint[], ${numberList(keys.map(({ itemId }) => itemId))}::bigint[],
  ${textList(keys.map(({ buyer }) => buyer))}::text[]`;

/** Reads how many tickets of an item each buyer has. Lock the items first, so that no other transaction changes the counts. */
export const selectBuyerCounts = (keys: readonly BuyerKey[]): RawBuilder<BuyerCountRow> => sql<BuyerCountRow>`
  select b.item_id as "itemId", asked.buyer, b.taken
    from unnest(${keyColumns(keys)}) as asked (event_id, item_id, buyer)
    join item_buyer b on b.event_id = asked.event_id and b.item_id = asked.item_id and b.buyer = decode(asked.buyer, 'hex')`;

/** Adds to the ticket counts of buyers. A check constraint rejects a count above the limit. */
export const addTaken = (additions: readonly (BuyerKey & { by: number; limit: number | null })[]): Statement => sql`
    insert into item_buyer (event_id, item_id, buyer, taken, most)
    select event_id, item_id, decode(buyer, 'hex'), added, coalesce(most, 0)
      from unnest(${keyColumns(additions)}, ${numberList(additions.map(({ by }) => by))}::int[],
                  ${numberList(additions.map(({ limit }) => limit))}::int[])
           as d (event_id, item_id, buyer, added, most) order by 1, 2, 3
    on conflict (event_id, item_id, buyer)
    do update set taken = item_buyer.taken + excluded.taken, most = case when excluded.most > 0 then excluded.most else item_buyer.most end`;

/** Subtracts from the ticket counts of buyers. Items without a limit have no rows here, so their keys are ignored. */
export const subtractTaken = (subtractions: readonly (BuyerKey & { by: number })[]): Statement => sql`
  update item_buyer b set taken = greatest(0, b.taken - d.subtracted)
    from (select event_id, item_id, decode(buyer, 'hex') as buyer, sum(subtracted)::int as subtracted
            from unnest(${keyColumns(subtractions)}, ${numberList(subtractions.map(({ by }) => by))}::int[])
                 as given (event_id, item_id, buyer, subtracted)
           group by 1, 2, 3) d
   where b.event_id = d.event_id and b.item_id = d.item_id and b.buyer = d.buyer`;

/**
 * Deletes counts that are 0, because even a count of 0 reveals that the buyer ordered this item. Higher counts stay: they belong to other
 * orders of the same buyer.
 */
export const deleteZeroCounts = (keys: readonly BuyerKey[]): Statement => sql`
  delete from item_buyer b
   using unnest(${keyColumns(keys)}) as k (event_id, item_id, buyer)
   where b.event_id = k.event_id and b.item_id = k.item_id and b.buyer = decode(k.buyer, 'hex') and b.taken = 0`;
