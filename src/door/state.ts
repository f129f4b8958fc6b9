import type { Step } from '../postgres/pipeline.ts';
import type { UndoOf } from './admission.ts';
import { type LoggedScan, type NewScan, notInsideByNonce, type UndoRow } from './scans.sql.ts';
import { admissionsByCode, admissionsByTicket, undosByScan } from './subjects.sql.ts';

/** One that is in the log. */
export interface KnownScan extends NewScan {
  id: number;
}

/** Those by which somebody is inside, of these tickets and codes. */
export const admissionsOf = (
  eventId: number,
  { ticketIds, codeIds }: { ticketIds: readonly number[]; codeIds: readonly number[] },
): Step<KnownScan[]> => ({
  statements: [
    ...(ticketIds.length > 0 ? [admissionsByTicket(eventId, ticketIds)] : []),
    ...(codeIds.length > 0 ? [admissionsByCode(eventId, codeIds)] : []),
  ],
  read: (answers) => (answers.flat() as LoggedScan[]).map(toKnown),
});

/** Those of these scans by which nobody is inside. */
export const notInside = (eventId: number, nonces: readonly string[]): Step<KnownScan[]> => ({
  statements: [notInsideByNonce(eventId, nonces)],
  read: ([rows = []]) => (rows as LoggedScan[]).map(toKnown),
});

const toKnown = (row: LoggedScan): KnownScan => ({
  ...row,
  at: row.at.getTime(),
  used_at: row.used_at?.getTime() ?? null,
  user_id: null,
});

/** Those that take back one of these scans. */
export const undosOf = (eventId: number, nonces: readonly string[]): Step<UndoOf[]> => ({
  statements: [undosByScan(eventId, nonces)],
  read: ([rows = []]) => (rows as UndoRow[]).map((row) => ({ ...row, at: row.at.getTime() })),
});
