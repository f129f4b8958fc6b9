import { isUndone, type Scan, settle, type UndoOf } from './admission.ts';
import type { ScanResult } from './contract.ts';
import { examine, type Subject } from './examine.ts';
import type { Admission, AdmissionRow, DoubleRow } from './scans.sql.ts';
import type { DoorSession } from './session-window.ts';

export interface Scanned extends Scan {
  gate: string | null;
  sessionId: number | undefined;
}

export interface Told {
  result: ScanResult;
  session: DoorSession | null;
  /** By which scan it was used, where it was. */
  used: { at: number; gate: string | null } | null;
}

interface Place {
  subject: Subject;
  session: DoorSession | null;
  /** By which they are inside. */
  scan: (Scan & { gate: string | null }) | null;
  changed: boolean;
  doubles: Scan[];
}

/** Decides scans one after the other, and keeps what became of each ticket in each session. */
export function createEntrance(undos: readonly UndoOf[]) {
  const places = new Map<Subject, Map<number, Place>>();

  function placeOf(subject: Subject, session: DoorSession | null): Place {
    const ofSubject = places.get(subject) ?? new Map<number, Place>();
    places.set(subject, ofSubject);
    const id = session?.id ?? 0;
    const known = ofSubject.get(id);
    if (known) return known;
    const before = subject.admissions.find(({ sessionId, undone }: Admission) => (sessionId ?? 0) === id && !undone) ?? null;
    const place: Place = { subject, session, scan: before, changed: false, doubles: [] };
    ofSubject.set(id, place);
    return place;
  }

  /** `admitted` is told when nobody is inside by this ticket, whatever the clocks of the devices say; who counts is settled by time. */
  function scan(scanned: Scanned, subject: Subject | undefined): Told {
    const { session, verdict } = examine(subject, scanned.at, scanned.sessionId);
    if (!subject || verdict !== 'good') return { session, result: verdict === 'good' ? 'unknown' : verdict, used: null };
    const place = placeOf(subject, session);
    const before = place.scan;
    if (!isUndone(scanned, undos)) count(place, scanned);
    return before
      ? { session, result: 'already_used', used: { at: before.at, gate: before.gate } }
      : { session, result: 'admitted', used: null };
  }

  function count(place: Place, scanned: Scanned): void {
    const { admission, doubles } = settle(place.scan ? [place.scan, scanned] : [scanned]);
    place.changed ||= admission !== place.scan;
    place.scan = admission;
    place.doubles.push(...doubles);
  }

  const all = (): Place[] => [...places.values()].flatMap((ofSubject) => [...ofSubject.values()]);

  return {
    scan,
    admissions: (): AdmissionRow[] => all().flatMap((place) => (place.changed && place.scan ? [toAdmission(place, place.scan)] : [])),
    doubles: (): DoubleRow[] => all().flatMap((place) => place.doubles.map(({ nonce }) => ({ nonce, ...keyOf(place) }))),
    sessionIds: (): number[] => [...new Set(all().flatMap(({ session }) => session?.id ?? []))],
    /** The imported codes that somebody came in with. */
    usedCodes: (): number[] => all().flatMap(({ subject, scan: inside }) => (inside ? (subject.importedCodeId ?? []) : [])),
  };
}

const keyOf = ({ subject, session }: Place) => ({
  ticket_id: subject.ticketId,
  external_code_id: subject.codeId,
  session_id: session?.id ?? null,
});

const toAdmission = (place: Place, { nonce, at, device, gate }: Scan & { gate: string | null }): AdmissionRow => ({
  ...keyOf(place),
  item_id: place.subject.itemId,
  nonce,
  at: new Date(at),
  gate,
  device,
  undone: false,
});
