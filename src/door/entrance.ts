import { isUndone, type Scan, settle, type UndoOf } from './admission.ts';
import type { ScanResult } from './contract.ts';
import { examine, type Subject } from './examine.ts';
import type { DoorSession } from './session-window.ts';

export interface Scanned extends Scan {
  gate: string | null;
  /** In the log, if it is there already. */
  id?: number;
  /** What it comes to; kept here, as one that is earlier changes it. */
  state: 'inside' | 'double' | 'undone' | 'refused';
}

export interface Told {
  result: ScanResult;
  session: DoorSession | null;
  /** By which scan it was used, where it was. */
  used: { at: number; gate: string | null } | null;
}

/** A ticket in a session. */
export interface Place {
  subject: Subject;
  session: DoorSession | null;
}

interface Standing extends Place {
  /** By which they are inside. */
  scan: Scanned | null;
}

/** Known by a ticket or a code of a ticket sold elsewhere, and a session. */
export const placeKey = (ticketId: number | null, codeId: number | null, sessionId: number | null): string =>
  `${ticketId ?? `c${codeId}`}/${sessionId ?? ''}`;

/** Decides scans one after the other, and keeps what became of each ticket in each session. */
export function createEntrance(inside: ReadonlyMap<string, Scanned>, undos: readonly UndoOf[]) {
  const standings = new Map<string, Standing>();
  const displaced: number[] = [];

  function standingOf(subject: Subject, session: DoorSession | null): Standing {
    const key = placeKey(subject.ticketId, subject.codeId, session?.id ?? null);
    const known = standings.get(key);
    if (known) return known;
    const standing = { subject, session, scan: inside.get(key) ?? null };
    standings.set(key, standing);
    return standing;
  }

  /** `admitted` is told when nobody is inside by this ticket, whatever the clocks of the devices say; who counts is settled by time. */
  function scan(scanned: Scanned, subject: Subject | undefined, sessionId: number | undefined): Told {
    const { session, verdict } = examine(subject, scanned.at, sessionId);
    scanned.state = verdict === 'good' ? 'undone' : 'refused';
    if (!subject || verdict !== 'good') return { session, result: verdict === 'good' ? 'unknown' : verdict, used: null };
    const standing = standingOf(subject, session);
    const before = standing.scan;
    if (undos.length === 0 || !isUndone(scanned, undos)) count(standing, scanned);
    return before
      ? { session, result: 'already_used', used: { at: before.at, gate: before.gate } }
      : { session, result: 'admitted', used: null };
  }

  function count(standing: Standing, scanned: Scanned): void {
    scanned.state = 'inside';
    const { admission, doubles } = standing.scan ? settle([standing.scan, scanned]) : { admission: scanned, doubles: [] };
    standing.scan = admission;
    for (const double of doubles) {
      double.state = 'double';
      if (double.id !== undefined) displaced.push(double.id);
    }
  }

  return {
    scan,
    /** By which somebody was inside until another proved to be earlier, in the log. */
    displaced: (): readonly number[] => displaced,
    places: (): Place[] => [...standings.values()].filter((standing) => standing.scan !== null),
  };
}
