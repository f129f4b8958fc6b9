import { isUndone, pickAdmission, type Scan, type ScanUndo } from './admission.ts';
import type { ScanResult } from './contract.ts';
import { checkValidity, type Subject } from './scan-validity.ts';
import type { DoorSession } from './session-window.ts';

export interface EntranceScan extends Scan {
  gate: string | null;
  /** The id of its row, if the scan is in the log already. */
  id?: number;
  /** The entrance changes this when an earlier scan of the same ticket arrives. */
  state: 'inside' | 'double' | 'undone' | 'refused';
}

export interface ScanDecision {
  result: ScanResult;
  session: DoorSession | null;
  /** The scan that used the ticket before, for `already_used`. */
  used: { at: number; gate: string | null } | null;
}

/** A ticket in one session. A ticket admits once in each of its sessions. */
export interface AdmissionSlot {
  subject: Subject;
  session: DoorSession | null;
  /** The scan that counts as the entry. */
  admission: EntranceScan | null;
}

export const slotKey = (ticketId: number | null, codeId: number | null, sessionId: number | null): string =>
  `${ticketId ?? `c${codeId}`}/${sessionId ?? ''}`;

/**
 * Decides scans one after the other and remembers the admission of each slot.
 * `admissions` are the admissions before the first scan, by `slotKey`.
 */
export function createEntrance(admissions: ReadonlyMap<string, EntranceScan>, undos: readonly ScanUndo[]) {
  const slots = new Map<string, AdmissionSlot>();
  const displaced: number[] = [];

  function slotOf(subject: Subject, session: DoorSession | null): AdmissionSlot {
    const key = slotKey(subject.ticketId, subject.codeId, session?.id ?? null);
    const known = slots.get(key);
    if (known) return known;
    const slot = { subject, session, admission: admissions.get(key) ?? null };
    slots.set(key, slot);
    return slot;
  }

  /**
   * The result tells the gate what to do now, so it depends on the order of arrival: `admitted` if the slot has no admission yet. The state
   * depends on the time of the scan: the earliest one is `inside`, even if it arrives last.
   */
  function decide(scan: EntranceScan, subject: Subject | undefined, sessionId: number | undefined): ScanDecision {
    const { session, verdict } = checkValidity(subject, scan.at, sessionId);
    scan.state = verdict === 'valid' ? 'undone' : 'refused';
    if (!subject || verdict !== 'valid') return { session, result: verdict === 'valid' ? 'unknown' : verdict, used: null };
    const slot = slotOf(subject, session);
    const before = slot.admission;
    if (undos.length === 0 || !isUndone(scan, undos)) count(slot, scan);
    return before
      ? { session, result: 'already_used', used: { at: before.at, gate: before.gate } }
      : { session, result: 'admitted', used: null };
  }

  function count(slot: AdmissionSlot, scan: EntranceScan): void {
    scan.state = 'inside';
    const { admission, doubles } = slot.admission ? pickAdmission([slot.admission, scan]) : { admission: scan, doubles: [] };
    slot.admission = admission;
    for (const double of doubles) {
      double.state = 'double';
      if (double.id !== undefined) displaced.push(double.id);
    }
  }

  return {
    decide,
    /** Ids of logged scans that were `inside` until an earlier scan replaced them. */
    displaced: (): readonly number[] => displaced,
    admitted: (): AdmissionSlot[] => [...slots.values()].filter(({ admission }) => admission !== null),
  };
}
