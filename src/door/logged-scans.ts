import type { Step } from '../postgres/pipeline.ts';
import type { ScanUndo } from './admission.ts';
import { admissionsByCode, admissionsByTicket, otherScansByCode, otherScansByTicket, undosByScan } from './check-in.sql.ts';
import { type LoggedScanRow, type NewScan, scansWithoutAdmissionByNonce, type UndoRow } from './scans.sql.ts';

export interface LoggedScan extends NewScan {
  id: number;
}

/** Reads the scans of these tickets and codes that count as entries (state `inside`). */
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

/** Reads all scans of these tickets and codes that count in some way. Needed only if the event allows re-entry. */
export const countedScansOf = (eventId: number, ids: { ticketIds: readonly number[]; codeIds: readonly number[] }): Step<LoggedScan[]> => {
  const admissions = admissionsOf(eventId, ids);
  return {
    statements: [
      ...admissions.statements,
      ...(ids.ticketIds.length > 0 ? [otherScansByTicket(eventId, ids.ticketIds)] : []),
      ...(ids.codeIds.length > 0 ? [otherScansByCode(eventId, ids.codeIds)] : []),
    ],
    read: admissions.read,
  };
};

/** Reads the scans with these nonces that are not in state `inside`. */
export const scansWithoutAdmission = (eventId: number, nonces: readonly string[]): Step<LoggedScan[]> => ({
  statements: [scansWithoutAdmissionByNonce(eventId, nonces)],
  read: ([rows = []]) => (rows as LoggedScanRow[]).map(toLoggedScan),
});

/** The log needs no column for the direction, because the result of a valid scan shows it. */
export const directionOf = ({ result }: Pick<LoggedScanRow, 'result'>): 'in' | 'out' =>
  result === 'exited' || result === 'not_inside' || result === 'not_allowed' ? 'out' : 'in';

const toLoggedScan = (row: LoggedScanRow): LoggedScan => ({
  ...row,
  direction: directionOf(row),
  at: row.at.getTime(),
  used_at: row.used_at?.getTime() ?? null,
  user_id: null,
});

/** Reads the undos of the scans with these nonces. */
export const undosOf = (eventId: number, nonces: readonly string[]): Step<ScanUndo[]> => ({
  statements: [undosByScan(eventId, nonces)],
  read: ([rows = []]) => (rows as UndoRow[]).map((row) => ({ ...row, at: row.at.getTime() })),
});
