const hour = 3_600_000;
/** The doors are open for long on purpose: guests may enter early or camp, and a show may end late. */
const opensBefore = 12 * hour;
const closesAfter = 6 * hour;

/** A session of the event. Times are in milliseconds. */
export interface DoorSession {
  id: number;
  name: string;
  startsAt: number;
  finishesAt: number;
}

export const opensAt = ({ startsAt }: DoorSession): number => startsAt - opensBefore;
export const closesAt = ({ finishesAt }: DoorSession): number => finishesAt + closesAfter;

const byStart = (a: DoorSession, b: DoorSession): number => a.startsAt - b.startsAt || a.id - b.id;

/**
 * Chooses the session for a scan without a session id. If sessions have open doors, it chooses the earliest of them that has not finished,
 * or the latest if all have finished. If no doors are open, it chooses the next session to start, or the last session of the event.
 */
export function sessionAt(sessions: readonly DoorSession[], at: number): DoorSession | null {
  if (sessions.length <= 1) return sessions[0] ?? null;
  const inOrder = sessions.toSorted(byStart);
  const open = inOrder.filter((session) => opensAt(session) <= at && at < closesAt(session));
  return (
    open.find(({ finishesAt }) => at < finishesAt) ?? open.at(-1) ?? inOrder.find(({ startsAt }) => at < startsAt) ?? inOrder.at(-1) ?? null
  );
}

export type Doors = 'not_open_yet' | 'open' | 'closed';

export function doorsAt(session: DoorSession, at: number): Doors {
  if (at < opensAt(session)) return 'not_open_yet';
  return at < closesAt(session) ? 'open' : 'closed';
}
