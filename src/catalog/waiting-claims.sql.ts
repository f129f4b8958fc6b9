import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../postgres/database.ts';
import { inEvents } from '../postgres/in-event.ts';

/**
 * Every item that the people in a line (`waiting_line w`) can get, with the number of tickets that are free within all its limits. A line for a
 * group can get every item of the group. `least` ignores limits that are null. `scope` limits the lines.
 */
const freeForLines = (scope: RawBuilder<unknown>) => sql`
  (select w.event_id, w.id as line_id, c.id as item_id, c.parent_id as group_id, sessions.ids as session_ids, p.starts_at, p.finishes_at,
          least(p.finishes_at, sessions.finish) as finish,
          least(w.waiting, c.quantity - c.sold - c.held, g.quantity - g.sold - g.held, p.available - p.sold - p.held, sessions.free,
            case when (select value from item_attribute a where a.event_id = c.event_id and a.item_id = c.id and a.key = 'customCode') = 'true' then
              (select count(*) from (select 1 from external_code e where e.event_id = c.event_id and e.item_id = c.id and e.status = 'available'
                                      limit w.waiting + c.held) codes) - c.held end) as tickets
     from waiting_line w
     join item c on c.event_id = w.event_id and (c.id = w.item_id or c.parent_id = w.item_id)
     join item_values v on v.event_id = c.event_id and v.item_id = c.id
     join sale_period p on p.event_id = c.event_id and p.item_id = c.id and p.app_category_id = 1
     left join item g on g.event_id = c.event_id and g.id = c.parent_id
     cross join lateral (
       select coalesce(array_agg(s.id order by s.id), '{}') as ids, min(s.capacity - s.sold - s.held) as free, max(s.finishes_at) as finish
         from event_session s
        where s.event_id = c.event_id and (w.session_id is null or c.type = 'passport' or s.id = w.session_id)
          and (exists (select 1 from item_session x where x.event_id = c.event_id and x.item_id = c.id and x.session_id = s.id)
               or not exists (select 1 from item_session x where x.event_id = c.event_id and x.item_id = c.id))) sessions
    where ${scope} and w.waiting > 0 and c.type not in ('group', 'external') and c.salable and not c.archived and not c.hidden
      and (g.id is null or (g.salable and not g.archived and not g.hidden)) and (w.session_id is null or w.session_id = any(sessions.ids))) free`;

/** The claims of an event as JSON, in the form of `Claim`. For an event without a waiting list this is one look into an index. */
export const claimsIn = (eventId: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  coalesce((select json_agg(json_build_object('lineId', line_id, 'itemId', item_id, 'groupId', group_id, 'sessionIds', session_ids,
                                              'start', starts_at, 'finish', finish, 'tickets', tickets))
              from ${freeForLines(sql`w.event_id = ${eventId}`)} where tickets > 0), '[]')`;

/** Returns the events in which tickets are free that people wait for. With `eventIds` only these events are searched. */
export async function selectEventsWithClaims(db: Database, at: Date, eventIds: readonly number[] | null): Promise<number[]> {
  const scope = eventIds === null ? sql`/* all events */ true` : inEvents(sql`w.event_id`, eventIds);
  const { rows } = await sql<{ event_id: number }>`
    select distinct free.event_id from ${freeForLines(scope)} join event e on e.id = free.event_id
     where tickets > 0 and e.status in ('published', 'private') and e.sale_enabled
       and free.starts_at <= ${at} and free.finishes_at > ${at} order by 1`.execute(db);
  return rows.map(({ event_id }) => event_id);
}
