import type { EventChanges, SessionChanges } from '../events/contract.ts';
import { lockEvent } from '../events/lock-event.ts';
import { updateSession } from '../events/sessions.ts';
import { updateEvent } from '../events/update-event.ts';
import type { Act } from '../kernel/act.ts';
import { refuseReadOnlyChanges, withoutUnchanged } from '../kernel/read-only.ts';
import type { Tx } from '../postgres/database.ts';
import { type Event, eventReadOnlyNames, type Session, sessionReadOnlyNames } from './contract.ts';
import { describeEvent, describeSession } from './event.ts';

const bySession = 'Change it with /event/{id}/session.';
const byStatus = 'Change it with /event/{id}/publish, /unpublish or /cancel.';
const hints = { sessions: bySession, start: bySession, finish: bySession, status: byStatus };

/** Only here is known how an event reads, and so whether it was sent back as it was read. */
export async function changeEvent(tx: Tx, act: Act, id: number, sent: EventChanges): Promise<Event> {
  await lockEvent(tx, id);
  refuseReadOnlyChanges(sent, await describeEvent(tx, act, id), eventReadOnlyNames, hints);
  await updateEvent(tx, act, id, sent);
  return describeEvent(tx, act, id);
}

export async function changeSession(tx: Tx, act: Act, eventId: number, sessionId: number, sent: SessionChanges): Promise<Session> {
  await lockEvent(tx, eventId);
  const current = await describeSession(tx, act, eventId, sessionId);
  refuseReadOnlyChanges(sent, current, sessionReadOnlyNames);
  await updateSession(tx, act, eventId, sessionId, withoutUnchanged(sent, current, ['start', 'finish']));
  return describeSession(tx, act, eventId, sessionId);
}
