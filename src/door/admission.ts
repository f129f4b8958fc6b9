/** A device may undo its own scan within this many milliseconds. */
export const undoWindow = 30_000;

/** The fields that decide which scan counts as the entry. `at` is in milliseconds, from the clock of the device. */
export interface Scan {
  nonce: string;
  at: number;
  device: string;
}

export interface ScanUndo {
  /** The nonce of the scan to undo. */
  undoes: string;
  at: number;
  device: string;
}

/** Orders scans by time. Device and nonce break ties, so that the result never depends on the order of arrival. */
function isEarlier(a: Scan, b: Scan): boolean {
  if (a.at !== b.at) return a.at < b.at;
  if (a.device !== b.device) return a.device < b.device;
  return a.nonce < b.nonce;
}

export interface PickedAdmission<S> {
  admission: S | null;
  doubles: S[];
}

/** Picks the admission among the valid scans of one ticket in one session: the earliest scan. All others are double entries. */
export function pickAdmission<S extends Scan>(scans: readonly S[]): PickedAdmission<S> {
  const [first, ...others] = scans;
  if (!first) return { admission: null, doubles: [] };
  const admission = others.reduce((earliest, scan) => (isEarlier(scan, earliest) ? scan : earliest), first);
  return { admission, doubles: scans.filter((scan) => scan !== admission) };
}

/** Returns `waiting` if the scan is not in the log yet. The undo is then applied when the scan arrives. */
export function decideUndo(undo: ScanUndo, scan: Scan | undefined): 'undone' | 'too_late' | 'other_device' | 'waiting' {
  if (!scan) return 'waiting';
  if (undo.device !== scan.device) return 'other_device';
  return undo.at >= scan.at && undo.at - scan.at <= undoWindow ? 'undone' : 'too_late';
}

export const isUndone = (scan: Scan, undos: readonly ScanUndo[]): boolean =>
  undos.some((undo) => undo.undoes === scan.nonce && decideUndo(undo, scan) === 'undone');
