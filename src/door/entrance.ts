import { isUndone, type Scan, settle, type UndoOf } from './admission.ts';
import type { ScanResult } from './contract.ts';
import { examine, type Subject } from './examine.ts';
import type { DoorSession } from './session-window.ts';

export interface Scanned extends Scan {
  gate: string | null;
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
  doubles: Scan[];
}

/** Known by a ticket or a code of a ticket sold elsewhere, and a session. */
export const placeKey = (ticketId: number | null, codeId: number | null, sessionId: number | null): string =>
  `${ticketId ?? `c${codeId}`}/${sessionId ?? ''}`;

/** Decides scans one after the other, and keeps what became of each ticket in each session. */
export function createEntrance(inside: ReadonlyMap<string, Scanned>, undos: readonly UndoOf[]) {
  const standings = new Map<string, Standing>();

  function standingOf(subject: Subject, session: DoorSession | null): Standing {
    const key = placeKey(subject.ticketId, subject.codeId, session?.id ?? null);
    const known = standings.get(key);
    if (known) return known;
    const standing = { subject, session, scan: inside.get(key) ?? null, doubles: [] };
    standings.set(key, standing);
    return standing;
  }

  /** `admitted` is told when nobody is inside by this ticket, whatever the clocks of the devices say; who counts is settled by time. */
  function scan(scanned: Scanned, subject: Subject | undefined, sessionId: number | undefined): Told {
    const { session, verdict } = examine(subject, scanned.at, sessionId);
    if (!subject || verdict !== 'good') return { session, result: verdict === 'good' ? 'unknown' : verdict, used: null };
    const standing = standingOf(subject, session);
    const before = standing.scan;
    if (undos.length === 0 || !isUndone(scanned, undos)) count(standing, scanned);
    return before
      ? { session, result: 'already_used', used: { at: before.at, gate: before.gate } }
      : { session, result: 'admitted', used: null };
  }

  function count(standing: Standing, scanned: Scanned): void {
    const { admission, doubles } = settle(standing.scan ? [standing.scan, scanned] : [scanned]);
    standing.scan = admission;
    standing.doubles.push(...doubles);
  }

  /** Of all scans that count, also of the one by which they were inside before, if any, by nonce. */
  function states(): Map<string, 'inside' | 'double'> {
    const all = new Map<string, 'inside' | 'double'>();
    for (const standing of standings.values()) {
      if (standing.scan) all.set(standing.scan.nonce, 'inside');
      for (const { nonce } of standing.doubles) all.set(nonce, 'double');
    }
    return all;
  }

  return {
    scan,
    states,
    places: (): Place[] => [...standings.values()].filter((standing) => standing.scan !== null),
  };
}
