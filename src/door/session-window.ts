const hour = 3_600_000;
/** Doors open so long before a session starts, and close so long after it finishes: early entry, camping, a show that runs late. */
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
 * For which of the sessions of a ticket it is scanned at this time: the only one; or of those with open doors the first that has not
 * finished, or else the last that has; or else the next one; or else the last. Null where there are none.
 */
export function sessionAt(sessions: readonly DoorSession[], at: number): DoorSession | null {
  if (sessions.length <= 1) return sessions[0] ?? null;
  const inOrder = sessions.toSorted(byStart);
  const open = inOrder.filter((session) => opensAt(session) <= at && at < closesAt(session));
  return (
    open.find(({ finishesAt }) => at < finishesAt) ?? open.at(-1) ?? inOrder.find(({ startsAt }) => at < startsAt) ?? inOrder.at(-1) ?? null
  );
}

export type Doors = 'closed_yet' | 'open' | 'closed';

export function doorsAt(session: DoorSession, at: number): Doors {
  if (at < opensAt(session)) return 'closed_yet';
  return at < closesAt(session) ? 'open' : 'closed';
}
