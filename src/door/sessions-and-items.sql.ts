import { sql } from 'kysely';
import type { ItemType } from '../catalog/item-types.ts';
import type { Step } from '../postgres/pipeline.ts';
import type { DoorSession } from './session-window.ts';

export const sessionsOf = (eventId: number): Step<DoorSession[]> => ({
  statements: [sql`select id, name, starts_at, finishes_at from event_session where event_id = ${eventId} order by starts_at, id`],
  read: ([rows = []]) =>
    (rows as { id: number; name: string; starts_at: Date; finishes_at: Date }[]).map(({ id, name, starts_at, finishes_at }) => ({
      id,
      name,
      startsAt: starts_at.getTime(),
      finishesAt: finishes_at.getTime(),
    })),
});

/** The rules of an event for its door. */
export interface DoorRules {
  /** Whether the door refuses tickets whose payment is disputed. */
  refusesDisputed: boolean;
  /** Whether guests who have left may enter again. */
  reentry: 'none' | 'once' | 'unlimited';
}

export const doorRules = (eventId: number): Step<DoorRules> => ({
  statements: [sql`select disputed_tickets = 'refuse' as "refusesDisputed", reentry from event where id = ${eventId}`],
  read: ([rows = []]) => (rows as DoorRules[])[0] ?? { refusesDisputed: false, reentry: 'none' },
});

export interface DoorItem {
  id: number;
  name: string;
  type: ItemType;
  halfPrice: boolean;
  /** The sessions of the item. Empty if the item is valid for all sessions. */
  sessionIds: number[];
}

export const itemsOf = (eventId: number): Step<DoorItem[]> => ({
  statements: [
    sql`
      select i.id, i.name, i.type,
             exists (select 1 from item_attribute a where a.event_id = i.event_id and a.item_id = i.id and a.key = 'halfPrice' and a.value = 'true')
               as "halfPrice",
             array(select s.session_id from item_session s where s.event_id = i.event_id and s.item_id = i.id order by 1) as "sessionIds"
        from item i where i.event_id = ${eventId} and i.type <> 'group' order by i.id`,
  ],
  read: ([rows = []]) => rows as DoorItem[],
});
