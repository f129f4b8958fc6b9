// Writes the rows of check-ins with plain SQL, as a part of the control of S8. test/bench-data.test.ts compares the rows with those of real
// check-ins.
import type { Throughput } from './measure.ts';
import type { MeasuredService } from './service.ts';

/** As many requests as the load sends at the same time. */
const requestsPerBatch = 64;

/** Checks in the tickets from the first to the last of these ids. All statements are one transaction, because they are sent as one query. */
const writeBatch = (eventId: number, perRequest: number, ids: readonly number[]): string => `
  create temp table scanned on commit drop as
    select t.id as ticket_id, t.item_id, t.session_ids[1] as session_id, row_number() over (order by t.id) - 1 as place
      from ticket t where t.event_id = ${eventId} and t.id between ${ids[0]} and ${ids.at(-1)};
  insert into checkin (event_id, received_at, nonce, ticket_id, item_id, session_id, at, gate, device, user_id, result, state)
    select ${eventId}, now(), gen_random_uuid()::text, ticket_id, item_id, session_id, now(), 'Gate A', 'phone-' || place % 64, 1, 'admitted', 'inside'
      from scanned;
  insert into entry_total as total (event_id, item_id, session_id, quarter, gate, entries)
    select ${eventId}, item_id, session_id, date_bin('15 minutes', now(), 'epoch'), 'Gate A', count(*) from scanned group by 2, 3
    on conflict (event_id, item_id, session_id, quarter, gate) do update set entries = total.entries + excluded.entries;
  insert into guest_total as total (event_id, item_id, checked) select ${eventId}, item_id, count(*) from scanned group by 2
    on conflict (event_id, item_id) do update set checked = total.checked + excluded.checked;
  insert into door_session (event_id, session_id) select distinct ${eventId}, session_id from scanned on conflict do nothing;
  insert into change (event_id, type, subject, part, at)
    select ${eventId}, 'ticket.checked_in', 'ticket/' || ticket_id, gen_random_uuid()::text, now() from scanned;
  insert into audit_log (event_id, at, actor_kind, actor, operation, request_id, subject, subject_id, after)
    select ${eventId}, now(), 'user', '1', 'makeCheckins', gen_random_uuid()::text, 'checkins', '${eventId}',
           jsonb_build_object('entries', ${perRequest}, 'admitted', ${perRequest}) from scanned where place % ${perRequest} = 0`;

/** Checks in these tickets of an event on one connection, in the order of their ids. Returns the throughput in requests. */
export async function writeCheckins(
  service: MeasuredService,
  eventId: number,
  tickets: readonly number[],
  perRequest: number,
): Promise<Throughput> {
  const client = await service.connect();
  const size = requestsPerBatch * perRequest;
  try {
    const began = performance.now();
    for (let offset = 0; offset < tickets.length; offset += size)
      await client.query(writeBatch(eventId, perRequest, tickets.slice(offset, offset + size)));
    const seconds = (performance.now() - began) / 1_000;
    const msPerBatch = (seconds * 1_000) / Math.ceil(tickets.length / size);
    return { perSecond: tickets.length / perRequest / seconds, p50: msPerBatch, p99: msPerBatch };
  } finally {
    await client.end();
  }
}
