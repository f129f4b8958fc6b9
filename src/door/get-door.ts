import { isAllowed } from '../accounts/roles.ts';
import type { Act, Device, User } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { runPipeline } from '../postgres/pipeline.ts';
import type { DoorStart } from './device-contract.ts';
import { selectDoorEvent, selectGates } from './door.sql.ts';
import { closesAt, type DoorSession, opensAt } from './session-window.ts';
import { sessionsOf } from './sessions-and-items.sql.ts';

/** Returns what a door app needs to start. */
export async function getDoor(tx: Tx, { actor, at }: Act<User | Device>, eventId: number): Promise<DoorStart> {
  const event = await selectDoorEvent(tx, eventId);
  if (!event) throw new Problem('not_found');
  const [sessions] = await runPipeline(tx, [sessionsOf(eventId)]);
  const scope = { producerId: event.producer_id, eventId };
  return {
    event: { id: eventId, title: event.title, timezone: event.timezone, reentry: event.reentry, ageRating: event.age_rating },
    sessions: sessions.map((session) => toSession(session, event.doors_open)),
    gates: await selectGates(tx, eventId),
    device: actor.kind === 'device' ? { id: actor.id, name: actor.name, gate: actor.gate } : null,
    mayScan: actor.kind === 'device' || isAllowed(actor, 'checkin.make', scope),
    maySearch: isAllowed(actor, 'guest.search', scope),
    now: at.toISOString(),
  };
}

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString();

const toSession = (session: DoorSession, doorsOpen: number | null): DoorStart['sessions'][number] => ({
  id: session.id,
  name: session.name,
  start: instant(session.startsAt),
  finish: instant(session.finishesAt),
  doorsOpenAt: doorsOpen === null ? null : instant(session.startsAt - doorsOpen * 60_000),
  opensAt: instant(opensAt(session)),
  closesAt: instant(closesAt(session)),
});
