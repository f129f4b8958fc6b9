import type { ItemType } from '../catalog/item-types.ts';
import { type EntryChange, guestKey } from '../tickets/entry-totals.ts';
import { isUndone, pickAdmission, type Scan, type ScanUndo } from './admission.ts';
import type { ScanResult } from './contract.ts';
import { type AdmissibleTicket, checkValidity } from './scan-validity.ts';
import type { DoorSession } from './session-window.ts';

export interface EntranceScan extends Scan {
  gate: string | null;
  /** The id of the row in the log. Undefined for a scan that is not in the log yet. */
  id?: number;
  /** Changes from `inside` to `double` when an earlier scan of the same ticket arrives. */
  state: 'inside' | 'double' | 'undone' | 'refused';
}

export interface ScanDecision {
  result: ScanResult;
  session: DoorSession | null;
  /** Time and gate of the entry, if the result is `already_used`. */
  used: { at: number; gate: string | null } | null;
}

/** One ticket in one session. A ticket can be used once in each of its sessions. */
export interface AdmissionSlot {
  ticket: AdmissibleTicket;
  session: DoorSession | null;
  /** The scan that counted as the entry before this batch. */
  before: EntranceScan | null;
  /** The scan that counts as the entry. */
  admission: EntranceScan | null;
}

export const slotKey = (ticketId: number | null, codeId: number | null, sessionId: number | null): string =>
  `${guestKey(ticketId, codeId)}/${sessionId ?? ''}`;

/**
 * Decides the scans of a batch one after the other, and remembers the admission of each slot. `admissions` has the admissions that were
 * stored before this batch, by `slotKey`.
 */
export function createEntrance(admissions: ReadonlyMap<string, EntranceScan>, undos: readonly ScanUndo[]) {
  const slots = new Map<string, AdmissionSlot>();

  function slotOf(ticket: AdmissibleTicket, session: DoorSession | null): AdmissionSlot {
    const key = slotKey(ticket.ticketId, ticket.codeId, session?.id ?? null);
    const known = slots.get(key);
    if (known) return known;
    const before = admissions.get(key) ?? null;
    const slot = { ticket, session, before, admission: before };
    slots.set(key, slot);
    return slot;
  }

  /**
   * Decides the result and the state of a scan. The result depends on the order of arrival, because the gate needs it immediately: it is
   * `admitted` if the slot has no admission yet. The state depends on the time of the scan: the earliest scan is `inside`, even if it
   * arrives last.
   */
  function decide(scan: EntranceScan, ticket: AdmissibleTicket | undefined, sessionId: number | undefined): ScanDecision {
    const { session, verdict } = checkValidity(ticket, scan.at, sessionId);
    scan.state = verdict === 'valid' ? 'undone' : 'refused';
    if (!ticket || verdict !== 'valid') return { session, result: verdict === 'valid' ? 'unknown' : verdict, used: null };
    const slot = slotOf(ticket, session);
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
    for (const double of doubles) double.state = 'double';
  }

  return {
    decide,
    admitted: (): AdmissionSlot[] => [...slots.values()].filter(({ admission }) => admission !== null),
  };
}

/** Returns what a batch of scans has changed in these slots. */
export function entryChangesOf(slots: readonly AdmissionSlot[], items: ReadonlyMap<number, { type: ItemType }>): EntryChange[] {
  return slots.flatMap(({ ticket: { ticketId, codeId, itemId }, session, before, admission }) => {
    const type = items.get(itemId)?.type;
    if (!type) throw new Error(`Item ${itemId} of a scanned ticket was not read`);
    const change = (scan: EntranceScan | null, by: 1 | -1): EntryChange[] =>
      scan ? [{ ticketId, codeId, itemId, type, sessionId: session?.id ?? null, at: scan.at, gate: scan.gate, by }] : [];
    return before === admission ? [] : [...change(before, -1), ...change(admission, 1)];
  });
}
