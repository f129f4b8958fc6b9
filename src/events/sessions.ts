import type { Act } from '../kernel/act.ts';
import { readPeriod } from '../kernel/period.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { refuseReadOnlyChanges, withoutUnchanged } from '../kernel/read-only.ts';
import { shiftPeriod, toWallClock } from '../kernel/wall-clock.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { constraintToProblem } from '../postgres/transaction.ts';
import { type Session } from './event-schemas.ts';
import { updateEventWords } from './event-words.ts';
import type { EventRow } from './events.sql.ts';
import { lockEvent } from './lock-event.ts';
import type { ReadEvent } from './read-event.ts';
import { type NewSession, type SessionChanges, sessionReadOnlyNames } from './session-contract.ts';
import {
  deleteSessionRow,
  insertSession,
  type SessionMove,
  type SessionRow,
  selectSessionDates,
  selectSessionForUpdate,
  selectSessionIds,
  selectSessions,
  updateEventDates,
  updateSessionCounters,
  updateSessionRow,
} from './sessions.sql.ts';

/** An event is returned with all its sessions, so their number is limited. */
const maxSessions = 1_000;

export async function createSession(tx: Tx, act: Act, eventId: number, session: NewSession): Promise<number> {
  const event = await lockEvent(tx, eventId);
  await requireRoom(tx, eventId);
  const { name, capacity = null } = session;
  const { start, finish } = readPeriod(session, event.timezone);
  const id = await insertSession(tx, { event_id: eventId, name, starts_at: start, finishes_at: finish, capacity });
  await takeDatesOfSessions(tx, act, event);
  await record(tx, act, { subject: 'session', id, producerId: event.producer_id, eventId, after: { ...session, capacity } });
  return id;
}

async function requireRoom(tx: Tx, eventId: number): Promise<void> {
  if ((await selectSessionIds(tx, eventId)).length >= maxSessions)
    throw ruleViolation('name', 'limit', `An event can have at most ${maxSessions} sessions. Delete one first.`);
}

/** The copy has the capacity of the session and no sold tickets. Items that are limited to some sessions are not valid for the copy. */
export async function duplicateSession(
  tx: Tx,
  act: Act,
  { eventId, id }: { eventId: number; id: number },
  { name, shiftDays = 0 }: { name?: string; shiftDays?: number },
): Promise<number> {
  const event = await lockEvent(tx, eventId);
  await requireRoom(tx, eventId);
  const source = await lockSession(tx, eventId, id);
  const copy = { name: name ?? source.name, capacity: source.capacity, ...shiftPeriod(source, shiftDays, event.timezone) };
  const newId = await insertSession(tx, { event_id: eventId, ...copy });
  await takeDatesOfSessions(tx, act, event);
  const after = { duplicateOf: id, ...describe({ ...source, ...copy }, event) };
  await record(tx, act, { subject: 'session', id: newId, producerId: event.producer_id, eventId, after });
  return newId;
}

/** Copies all sessions to another event. Returns the id of the copy of each session. The caller holds the locks of both events. */
export async function copySessions(tx: Tx, act: Act, from: EventRow, to: EventRow, days: number): Promise<ReadonlyMap<number, number>> {
  const copies = new Map<number, number>();
  for (const { id, name, capacity, ...times } of await selectSessions(tx, from.id)) {
    const copy = { event_id: to.id, name, capacity, ...shiftPeriod(times, days, from.timezone) };
    copies.set(id, await insertSession(tx, copy));
  }
  await takeDatesOfSessions(tx, act, to);
  return copies;
}

export interface SessionUpdate {
  eventId: number;
  id: number;
  sent: SessionChanges;
}

export async function updateSession(tx: Tx, act: Act, { eventId, id, sent }: SessionUpdate, read: ReadEvent): Promise<Session> {
  const event = await lockEvent(tx, eventId);
  const current = await read.session(tx, act, eventId, id);
  refuseReadOnlyChanges(sent, current, sessionReadOnlyNames);
  const changes = withoutUnchanged(sent, current, ['start', 'finish']);
  const row = await lockSession(tx, eventId, id);
  const before = describe(row, event);
  const { name, start, finish, capacity } = { ...before, ...changes };
  requireNotBelowSold('capacity', capacity, row);
  // A time that is sent back unchanged keeps its exact instant, because its local time is ambiguous when clocks are set back.
  const unchanged = { start: row.starts_at.toISOString(), finish: row.finishes_at.toISOString() };
  const period = readPeriod({ ...unchanged, ...changes }, event.timezone);
  await updateSessionRow(tx, eventId, id, { name, starts_at: period.start, finishes_at: period.finish, capacity });
  await takeDatesOfSessions(tx, act, event);
  const after = { name, start, finish, capacity };
  await record(tx, act, { subject: 'session', id, producerId: event.producer_id, eventId, before, after });
  return read.session(tx, act, eventId, id);
}

export async function deleteSession(tx: Tx, act: Act, eventId: number, id: number): Promise<void> {
  const event = await lockEvent(tx, eventId);
  const row = await lockSession(tx, eventId, id);
  if (event.status !== 'draft' && (await selectSessionIds(tx, eventId)).length === 1) {
    throw new Problem('wrong_state', 'This is the only session of a published event. Add another one first, or cancel the event.');
  }
  if (row.sold + row.held > 0) throw new Problem('wrong_state', 'Tickets for this session are sold or held, so it cannot be deleted.');
  await deleteSessionRow(tx, eventId, id).catch(refused);
  await takeDatesOfSessions(tx, act, event);
  await record(tx, act, { subject: 'session', id, producerId: event.producer_id, eventId, before: describe(row, event) });
}

const refused = constraintToProblem({
  item_session_session: () => new Problem('wrong_state', 'Items refer to this session. Remove it from their sessionIds first.'),
  ticket_order_session: () => new Problem('wrong_state', 'Orders exist for this session, so it cannot be deleted.'),
  external_code_session: () => new Problem('wrong_state', 'Imported codes refer to this session. Delete them first.'),
  door_session_session: () => new Problem('wrong_state', 'Tickets were scanned for this session, so it cannot be deleted.'),
});

async function takeDatesOfSessions(tx: Tx, { at }: Act, event: EventRow): Promise<void> {
  const dates = await selectSessionDates(tx, event.id);
  await updateEventDates(tx, event.id, dates, at);
  await updateEventWords(tx, event, { ...event, ...dates });
}

async function lockSession(tx: Tx, eventId: number, id: number): Promise<SessionRow> {
  const session = await selectSessionForUpdate(tx, eventId, id);
  if (!session) throw new Problem('not_found');
  return session;
}

function describe({ name, starts_at, finishes_at, capacity }: SessionRow, { timezone }: EventRow) {
  return { name, start: toWallClock(starts_at, timezone) as string, finish: toWallClock(finishes_at, timezone) as string, capacity };
}

interface SoldAndHeld {
  sold: number;
  held: number;
}

/** Adds to the counters of sessions; the numbers may be negative. A check constraint refuses more than the capacity. */
export const moveSessionCounters = (moves: readonly SessionMove[]): Statement => updateSessionCounters(moves);

/** A limit cannot be lower than the number of tickets that are already sold or held. Items and sale periods use this rule too. */
export function requireNotBelowSold(field: string, limit: number | null, { sold, held }: SoldAndHeld): void {
  if (limit === null || limit >= sold + held) return;
  const message = `${field} cannot be ${limit}: ${sold} tickets are sold and ${held} are held. Send at least ${sold + held}.`;
  throw ruleViolation(field, 'below_sold', message, { sold, held, least: sold + held });
}
