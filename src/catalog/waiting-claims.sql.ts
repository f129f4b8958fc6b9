import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../postgres/database.ts';
import { inEvents } from '../postgres/in-event.ts';

/**
 * Every item that the people in a line (`waiting_line w`) could get, with the number of tickets that are free within all its limits. A line for
 * a group can get every item of the group. `least` ignores limits that are null.
 */
const freeForLines = sql`
       waiting_line w
  cross join lateral (
    select w.item_id as id
    union all select member.id from item member where member.event_id = w.event_id and member.parent_id = w.item_id) wanted
  join item c on c.event_id = w.event_id and c.id = wanted.id
  join item_values v on v.event_id = c.event_id and v.item_id = c.id
  join sale_period p on p.event_id = c.event_id and p.item_id = c.id and p.app_category_id = 1
  left join item g on g.event_id = c.event_id and g.id = c.parent_id
  cross join lateral (
    select coalesce(array_agg(s.id order by s.id), '{}') as ids, min(s.capacity - s.sold - s.held) as free, max(s.finishes_at) as finish
      from event_session s
     where s.event_id = c.event_id and (w.session_id is null or c.type = 'passport' or s.id = w.session_id)
       and (exists (select 1 from item_session x where x.event_id = c.event_id and x.item_id = c.id and x.session_id = s.id)
            or not exists (select 1 from item_session x where x.event_id = c.event_id and x.item_id = c.id))) sessions
  cross join lateral (
    select least(w.waiting, c.quantity - c.sold - c.held, g.quantity - g.sold - g.held, p.available - p.sold - p.held, sessions.free,
      case when (select value from item_attribute a where a.event_id = c.event_id and a.item_id = c.id and a.key = 'customCode') = 'true' then
        (select count(*) from (select 1 from external_code e where e.event_id = c.event_id and e.item_id = c.id and e.status = 'available'
                                limit w.waiting + c.held) codes) - c.held end) as tickets) claim`;

const canBeOffered = sql`
  w.waiting > 0 and claim.tickets > 0 and c.type not in ('group', 'external') and c.salable and not c.archived and not c.hidden
  and (g.id is null or (g.salable and not g.archived and not g.hidden)) and (w.session_id is null or w.session_id = any(sessions.ids))`;

/** The claims of an event as JSON, in the form of `Claim`. For an event without a waiting list this is one look into an index. */
export const claimsIn = (eventId: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  coalesce((select json_agg(json_build_object('lineId', w.id, 'itemId', c.id, 'groupId', c.parent_id, 'sessionIds', sessions.ids,
                                              'start', p.starts_at, 'finish', least(p.finishes_at, sessions.finish), 'tickets', claim.tickets))
              from ${freeForLines} where w.event_id = ${eventId} and ${canBeOffered}), '[]')`;

/** Returns the events in which tickets are free that people wait for. With `eventIds` only these events are searched. */
export async function selectEventsWithClaims(db: Database, at: Date, eventIds: readonly number[] | null): Promise<number[]> {
  const scope = eventIds === null ? sql`/* all events */ true` : inEvents(sql`w.event_id`, eventIds);
  const { rows } = await sql<{ event_id: number }>`
    select distinct w.event_id from ${freeForLines} join event e on e.id = w.event_id
     where ${scope} and ${canBeOffered} and e.status in ('published', 'private') and e.sale_enabled
       and p.starts_at <= ${at} and p.finishes_at > ${at} order by w.event_id`.execute(db);
  return rows.map(({ event_id }) => event_id);
}
