/** A device may undo its own scan within this many milliseconds. */
export const undoWindow = 30_000;

/** The fields that decide which scan counts as the entry. `at` is in milliseconds, from the clock of the device. */
export interface Scan {
  nonce: string;
  at: number;
  device: string;
}

/** A scan of a guest who enters or leaves. */
export interface DirectedScan extends Scan {
  direction: 'in' | 'out';
}

export interface ScanUndo {
  /** The nonce of the scan to undo. */
  undoes: string;
  at: number;
  device: string;
}

/** How often a guest may enter a session, by the rule of the event. */
export const maxEntries = { none: 1, once: 2, unlimited: Number.POSITIVE_INFINITY } as const;

/** Orders scans by time. Device and nonce break ties, so that the result never depends on the order of arrival. */
function compareScans(a: Scan, b: Scan): number {
  if (a.at !== b.at) return a.at - b.at;
  if (a.device !== b.device) return a.device < b.device ? -1 : 1;
  return a.nonce < b.nonce ? -1 : 1;
}

export type CountedState = 'inside' | 'reentered' | 'exited' | 'double' | 'unmatched';

/** What all valid scans of one ticket in one session mean together. */
export interface Settlement<S> {
  states: Map<S, CountedState>;
  /** The first entry: the admission. */
  admission: S | null;
  /** The last entry that counts. */
  lastEntry: S | null;
  entries: number;
  exits: number;
}

/**
 * Decides all valid scans of one ticket in one session, in the order of their times. An entry counts if the guest is outside and may enter
 * (once more); otherwise it is a double entry. An exit counts if the guest is inside. The order of `scans` does not matter.
 */
export function settle<S extends DirectedScan>(scans: readonly S[], limit: number): Settlement<S> {
  const settled: Settlement<S> = { states: new Map(), admission: null, lastEntry: null, entries: 0, exits: 0 };
  for (const scan of scans.length > 1 ? scans.toSorted(compareScans) : scans) {
    const isInside = settled.entries > settled.exits;
    if (scan.direction === 'out') {
      settled.states.set(scan, isInside ? 'exited' : 'unmatched');
      if (isInside) settled.exits++;
    } else if (isInside || settled.entries >= limit) {
      settled.states.set(scan, 'double');
    } else {
      settled.states.set(scan, settled.entries === 0 ? 'inside' : 'reentered');
      settled.admission ??= scan;
      settled.lastEntry = scan;
      settled.entries++;
    }
  }
  return settled;
}

/** Whether the guest has entered, has left and has not come back. */
export const isAway = ({ entries, exits }: Pick<Settlement<unknown>, 'entries' | 'exits'>): boolean => entries > 0 && entries === exits;

/** Returns `waiting` if the scan is not in the log yet. The undo is then applied when the scan arrives. */
export function decideUndo(undo: ScanUndo, scan: Scan | undefined): 'undone' | 'too_late' | 'other_device' | 'waiting' {
  if (!scan) return 'waiting';
  if (undo.device !== scan.device) return 'other_device';
  return undo.at >= scan.at && undo.at - scan.at <= undoWindow ? 'undone' : 'too_late';
}

export const isUndone = (scan: Scan, undos: readonly ScanUndo[]): boolean =>
  undos.some((undo) => undo.undoes === scan.nonce && decideUndo(undo, scan) === 'undone');
