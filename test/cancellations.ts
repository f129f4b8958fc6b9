import type { World } from './harness.ts';

/** Inserts a job that refunds the orders of the event. Returns the id of the event. */
export async function insertCancellation({ pool }: World, eventId: number): Promise<number> {
  await pool.query('insert into event_cancellation (event_id, started_at) select id, now() from event where id = $1', [eventId]);
  return eventId;
}
