import type { ItemType } from '../catalog/item-types.ts';
import { type AwayChange, type EntryChange, guestKey } from '../tickets/entry-totals.ts';
import { type CountedState, type DirectedScan, isAway, isUndone, maxEntries, type ScanUndo, settle } from './admission.ts';
import type { ScanResult } from './contract.ts';
import { type AdmissibleTicket, checkValidity } from './scan-validity.ts';
import type { DoorSession } from './session-window.ts';

export interface EntranceScan extends DirectedScan {
  gate: string | null;
  /** The id of the row in the log. Undefined for a scan that is not in the log yet. */
  id?: number;
  /** Changes when other scans of the same ticket arrive. For example, `inside` becomes `double` when an earlier entry arrives. */
  state: CountedState | 'undone' | 'refused';
}

export interface ScanDecision {
  result: ScanResult;
  session: DoorSession | null;
  /** Time and gate of the last entry, if the result is `already_used`. */
  used: { at: number; gate: string | null } | null;
}

/** One ticket in one session. */
export interface AdmissionSlot {
  ticket: AdmissibleTicket;
  session: DoorSession | null;
  /** The scan that counted as the entry before this batch. */
  before: EntranceScan | null;
  /** The scan that counts as the entry. */
  admission: EntranceScan | null;
  /** Whether the guest has left and not come back, before this batch and now. */
  wasAway: boolean;
  isAway: boolean;
  /** All scans that matter for the slot. If the event allows no re-entry, doubles of earlier batches are left out. */
  scans: EntranceScan[];
}

/** A scan in the log whose state has changed. */
export interface ChangedScan {
  id: number;
  state: EntranceScan['state'];
}

export const slotKey = (ticketId: number | null, codeId: number | null, sessionId: number | null): string =>
  `${guestKey(ticketId, codeId)}/${sessionId ?? ''}`;

/**
 * Decides the scans of a batch one after the other, and remembers the scans of each slot. `stored` has the scans that were stored before this
 * batch, by `slotKey`. If the event allows no re-entry, it needs to have only the admissions, because later scans are doubles in any case.
 */
export function createEntrance(
  stored: ReadonlyMap<string, readonly EntranceScan[]>,
  undos: readonly ScanUndo[],
  reentry: keyof typeof maxEntries,
) {
  const limit = maxEntries[reentry];
  const slots = new Map<string, AdmissionSlot>();
  const storedStates = new Map<EntranceScan, EntranceScan['state']>();

  function slotOf(ticket: AdmissibleTicket, session: DoorSession | null): AdmissionSlot {
    const key = slotKey(ticket.ticketId, ticket.codeId, session?.id ?? null);
    const known = slots.get(key);
    if (known) return known;
    const scans = [...(stored.get(key) ?? [])];
    for (const scan of scans) storedStates.set(scan, scan.state);
    const settled = settle(scans, limit);
    const [admission, wasAway] = [settled.admission, isAway(settled)];
    const slot = { ticket, session, before: admission, admission, wasAway, isAway: wasAway, scans };
    slots.set(key, slot);
    return slot;
  }

  /**
   * Decides the result and the state of a scan. The result depends on the order of arrival, because the gate needs it immediately: it is
   * `admitted` or `exited` if the scan adds an entry or an exit to what is known. So `admitted` is returned at most as often as the guest may
   * enter. The state depends on the times of all scans: the earliest entry is `inside`, even if it arrives last.
   */
  function decide(scan: EntranceScan, ticket: AdmissibleTicket | undefined, sessionId: number | undefined): ScanDecision {
    const { session, verdict } = checkValidity(ticket, scan.at, sessionId);
    scan.state = 'refused';
    if (!ticket || verdict !== 'valid') return { session, result: verdict === 'valid' ? 'unknown' : verdict, used: null };
    if (scan.direction === 'out' && reentry === 'none') return { session, result: 'not_allowed', used: null };
    const slot = slotOf(ticket, session);
    const before = settle(slot.scans, limit);
    const after = settle([...slot.scans, scan], limit);
    if (undos.length > 0 && isUndone(scan, undos)) scan.state = 'undone';
    else count(slot, scan, after);
    if (scan.direction === 'out') return { session, result: after.exits > before.exits ? 'exited' : 'not_inside', used: null };
    if (after.entries > before.entries) return { session, result: 'admitted', used: null };
    const used = before.lastEntry;
    return { session, result: 'already_used', used: used && { at: used.at, gate: used.gate } };
  }

  function count(slot: AdmissionSlot, scan: EntranceScan, settled: ReturnType<typeof settle<EntranceScan>>): void {
    slot.scans.push(scan);
    slot.admission = settled.admission;
    slot.isAway = isAway(settled);
    for (const [each, state] of settled.states) each.state = state;
  }

  return {
    decide,
    /** The slots of this batch with at least one scan. */
    used: (): AdmissionSlot[] => [...slots.values()].filter(({ scans }) => scans.length > 0),
    /** The scans in the log whose state this batch has changed. */
    changed: (): ChangedScan[] =>
      [...storedStates].flatMap(([scan, state]) =>
        scan.id === undefined || scan.state === state ? [] : [{ id: scan.id, state: scan.state }],
      ),
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

/** Returns which guests have left or come back in a batch of scans. */
export const awayChangesOf = (slots: readonly AdmissionSlot[]): AwayChange[] =>
  slots.flatMap(({ ticket: { itemId }, session, wasAway, isAway: isNow }) =>
    wasAway === isNow ? [] : [{ itemId, sessionId: session?.id ?? null, by: isNow ? 1 : -1 }],
  );
