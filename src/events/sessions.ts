import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { refuseReadOnlyChanges, withoutUnchanged } from '../kernel/read-only.ts';
import { readMoment, toWallClock } from '../kernel/wall-clock.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { refusedAs } from '../postgres/transaction.ts';
import { type NewSession, type Session, type SessionChanges, sessionReadOnlyNames } from './contract.ts';
import type { EventRow } from './events.sql.ts';
import { lockEvent } from './lock-event.ts';
import type { ReadEvent } from './read-event.ts';
import { requireNotBelow } from './require-not-below.ts';
import {
  deleteSessionRow,
  insertSession,
  type SessionRow,
  selectSessionForUpdate,
  selectSessionIds,
  updateEventDates,
  updateSessionRow,
} from './sessions.sql.ts';

/** All of them come with the event. */
const mostSessions = 1_000;

export async function createSession(tx: Tx, act: Act, eventId: number, session: NewSession): Promise<number> {
  const event = await lockEvent(tx, eventId);
  if ((await selectSessionIds(tx, eventId)).length >= mostSessions) {
    throw ruleViolation('name', 'limit', `An event has at most ${mostSessions} sessions`);
  }
  const { name, capacity = null } = session;
  const id = await insertSession(tx, { event_id: eventId, name, ...readSpan(session, event), capacity });
  await updateEventDates(tx, eventId, act.at);
  await record(tx, act, { subject: 'session', id, producerId: event.producer_id, eventId, after: { ...session, capacity } });
  return id;
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
  requireNotBelow('capacity', capacity, row);
  await updateSessionRow(tx, id, { name, ...readSpan(changes, event, row), capacity });
  await updateEventDates(tx, eventId, act.at);
  const after = { name, start, finish, capacity };
  await record(tx, act, { subject: 'session', id, producerId: event.producer_id, eventId, before, after });
  return read.session(tx, act, eventId, id);
}

export async function deleteSession(tx: Tx, act: Act, eventId: number, id: number): Promise<void> {
  const event = await lockEvent(tx, eventId);
  const row = await lockSession(tx, eventId, id);
  if (event.status !== 'draft' && (await selectSessionIds(tx, eventId)).length === 1) {
    throw new Problem('wrong_state', 'An event that was published keeps at least one session');
  }
  if (row.sold + row.held > 0) throw new Problem('wrong_state', 'Tickets for this session are sold or held');
  await deleteSessionRow(tx, id).catch(refused);
  await updateEventDates(tx, eventId, act.at);
  await record(tx, act, { subject: 'session', id, producerId: event.producer_id, eventId, before: describe(row, event) });
}

const refused = refusedAs({
  item_session_event_id_session_id_fkey: () => new Problem('wrong_state', 'Items are for this session: take it from them first'),
  ticket_order_event_id_session_id_fkey: () => new Problem('wrong_state', 'The session was ordered for before'),
  door_session_event_id_session_id_fkey: () => new Problem('wrong_state', 'Tickets were scanned for this session'),
});

async function lockSession(tx: Tx, eventId: number, id: number): Promise<SessionRow> {
  const session = await selectSessionForUpdate(tx, eventId, id);
  if (!session) throw new Problem('not_found');
  return session;
}

function describe({ name, starts_at, finishes_at, capacity }: SessionRow, { timezone }: EventRow) {
  return { name, start: toWallClock(starts_at, timezone) as string, finish: toWallClock(finishes_at, timezone) as string, capacity };
}

interface Span {
  starts_at: Date;
  finishes_at: Date;
}

/** What is not sent stays the instant that it was: on the wall it may stand for another one, in an hour that comes twice. */
function readSpan({ start, finish }: { start?: string; finish?: string }, { timezone }: EventRow, before?: Span): Span {
  const startsAt = start === undefined ? before?.starts_at : readMoment(start, timezone);
  const finishesAt = finish === undefined ? before?.finishes_at : readMoment(finish, timezone);
  if (!startsAt) throw ruleViolation('start', 'no_such_time', `${start} does not exist in ${timezone}`);
  if (!finishesAt) throw ruleViolation('finish', 'no_such_time', `${finish} does not exist in ${timezone}`);
  if (startsAt >= finishesAt) throw ruleViolation('finish', 'order', 'A session finishes after it starts');
  return { starts_at: startsAt, finishes_at: finishesAt };
}
