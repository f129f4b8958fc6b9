/** Within this long after a scan its device may take it back. */
export const undoWithin = 30_000;

/** A scan as far as it decides who is inside. Times are milliseconds, by the device's clock. */
export interface Scan {
  nonce: string;
  at: number;
  device: string;
}

export interface UndoOf {
  undoes: string;
  at: number;
  device: string;
}

/** The earliest counts; for two at the same time any order will do, as long as it is always the same. */
function comesBefore(a: Scan, b: Scan): boolean {
  if (a.at !== b.at) return a.at < b.at;
  if (a.device !== b.device) return a.device < b.device;
  return a.nonce < b.nonce;
}

export interface Settled<S> {
  admission: S | null;
  doubles: S[];
}

/** Of the good scans of one ticket in one session, which let somebody in and which were one too many: whatever the order they came in. */
export function settle<S extends Scan>(scans: readonly S[]): Settled<S> {
  const [first, ...others] = scans;
  if (!first) return { admission: null, doubles: [] };
  const admission = others.reduce((earliest, scan) => (comesBefore(scan, earliest) ? scan : earliest), first);
  return { admission, doubles: scans.filter((scan) => scan !== admission) };
}

export function judgeUndo(undo: UndoOf, scan: Scan | undefined): 'undone' | 'too_late' | 'other_device' | 'waiting' {
  if (!scan) return 'waiting';
  if (undo.device !== scan.device) return 'other_device';
  return undo.at >= scan.at && undo.at - scan.at <= undoWithin ? 'undone' : 'too_late';
}

/** Whether one of these takes the scan back. */
export const isUndone = (scan: Scan, undos: readonly UndoOf[]): boolean =>
  undos.some((undo) => undo.undoes === scan.nonce && judgeUndo(undo, scan) === 'undone');
