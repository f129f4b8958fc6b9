import type { Step } from '../postgres/pipeline.ts';
import type { ScanUndo } from './admission.ts';
import { type LoggedScanRow, type NewScan, scansNotInsideByNonce, type UndoRow } from './scans.sql.ts';
import { admissionsByCode, admissionsByTicket, undosByScan } from './subjects.sql.ts';

export interface LoggedScan extends NewScan {
  id: number;
}

/** Scans in state `inside` of these tickets and codes. */
export const admissionsOf = (
  eventId: number,
  { ticketIds, codeIds }: { ticketIds: readonly number[]; codeIds: readonly number[] },
): Step<LoggedScan[]> => ({
  statements: [
    ...(ticketIds.length > 0 ? [admissionsByTicket(eventId, ticketIds)] : []),
    ...(codeIds.length > 0 ? [admissionsByCode(eventId, codeIds)] : []),
  ],
  read: (results) => (results.flat() as LoggedScanRow[]).map(toLoggedScan),
});

/** Scans with these nonces in any state but `inside`. */
export const scansNotInside = (eventId: number, nonces: readonly string[]): Step<LoggedScan[]> => ({
  statements: [scansNotInsideByNonce(eventId, nonces)],
  read: ([rows = []]) => (rows as LoggedScanRow[]).map(toLoggedScan),
});

const toLoggedScan = (row: LoggedScanRow): LoggedScan => ({
  ...row,
  at: row.at.getTime(),
  used_at: row.used_at?.getTime() ?? null,
  user_id: null,
});

/** Undos of scans with these nonces. */
export const undosOf = (eventId: number, nonces: readonly string[]): Step<ScanUndo[]> => ({
  statements: [undosByScan(eventId, nonces)],
  read: ([rows = []]) => (rows as UndoRow[]).map((row) => ({ ...row, at: row.at.getTime() })),
});
