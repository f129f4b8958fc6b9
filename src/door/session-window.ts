const hour = 3_600_000;
/** Wide on purpose: early entry, camping, a show that runs late. */
const opensBefore = 12 * hour;
const closesAfter = 6 * hour;

/** Times are milliseconds. */
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
 * Chooses the session for a scan that names none. Sessions with open doors come first: the earliest that has not finished, otherwise the
 * latest that has. If no doors are open, it is the next session to start, otherwise the last one.
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
