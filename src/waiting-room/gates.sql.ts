import { type RawBuilder, sql } from 'kysely';
import { numberList } from '../postgres/array-parameters.ts';
import { inEvents } from '../postgres/in-event.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { QueueNumber } from './signed-tokens.ts';

export interface GateRow {
  eventId: number;
  firstNumber: number;
  ordersPerPlace: number;
}

/** Returns the events whose orders need an admission. */
export const selectGates = (eventIds: readonly number[]): RawBuilder<GateRow> => sql<GateRow>`
  select event_id as "eventId", first_number as "firstNumber", orders_per_place as "ordersPerPlace"
    from waiting_room where ${inEvents(sql`event_id`, eventIds)} and enabled`;

export interface SlotRow extends QueueNumber {
  slot: number;
  status: string;
  expiresAt: Date;
}

/** Returns the orders that were placed with these numbers. */
export const selectSlots = (numbers: readonly QueueNumber[]): RawBuilder<SlotRow> => sql<SlotRow>`
  select w.event_id as "eventId", w.number, w.slot, o.status, o.expires_at as "expiresAt"
    from unnest(${numberList(numbers.map(({ eventId }) => eventId))}::bigint[], ${numberList(numbers.map(({ number }) => number))}::bigint[])
         as asked (event_id, number)
    join waiting_room_order w on w.event_id = asked.event_id and w.number = asked.number
    join ticket_order o on o.event_id = w.event_id and o.id = w.order_id
   where ${inEvents(
     sql`w.event_id`,
     numbers.map(({ eventId }) => eventId),
   )}`;

export interface UsedSlot extends QueueNumber {
  slot: number;
  orderId: number;
}

/** If two transactions take the same slot, the primary key makes the second transaction fail. Its batch is then retried. */
export const insertSlots = (slots: readonly UsedSlot[]): Statement => sql`
  insert into waiting_room_order (event_id, number, slot, order_id)
  select * from unnest(${numberList(slots.map(({ eventId }) => eventId))}::bigint[], ${numberList(slots.map(({ number }) => number))}::bigint[],
                       ${numberList(slots.map(({ slot }) => slot))}::int[], ${numberList(slots.map(({ orderId }) => orderId))}::bigint[])
    as given (event_id, number, slot, order_id) order by 1, 2, 3`;
