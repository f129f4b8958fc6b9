import type { Leg } from '../postgres/journey.ts';
import type { UndoOf } from './admission.ts';
import { placeKey, type Scanned } from './entrance.ts';
import { type LoggedScan, type NewScan, scansByNonce, type UndoRow } from './scans.sql.ts';
import { type AdmissionRow, admissionsByCode, admissionsByTicket, undosByScan } from './subjects.sql.ts';

/** Who is inside by these, by place. */
export const admissionsOf = (
  eventId: number,
  { ticketIds, codeIds }: { ticketIds: readonly number[]; codeIds: readonly number[] },
): Leg<[string, Scanned][]> => ({
  statements: [
    ...(ticketIds.length > 0 ? [admissionsByTicket(eventId, ticketIds)] : []),
    ...(codeIds.length > 0 ? [admissionsByCode(eventId, codeIds)] : []),
  ],
  read: (answers) =>
    (answers.flat() as AdmissionRow[]).map(({ ticket_id, external_code_id, session_id, nonce, at, gate, device }) => [
      placeKey(ticket_id, external_code_id, session_id),
      { nonce, at: at.getTime(), gate, device },
    ]),
});

/** Those that take back one of these scans. */
export const undosOf = (eventId: number, nonces: readonly string[]): Leg<UndoOf[]> => ({
  statements: [undosByScan(eventId, nonces)],
  read: ([rows = []]) => (rows as UndoRow[]).map((row) => ({ ...row, at: row.at.getTime() })),
});

/** Which of these scans are known already, as they were told, by nonce. */
export const logOf = (eventId: number, nonces: readonly string[]): Leg<Map<string, NewScan>> => ({
  statements: [scansByNonce(eventId, nonces)],
  read: ([rows = []]) =>
    new Map(
      (rows as LoggedScan[]).map((row) => [
        row.nonce,
        { ...row, at: row.at.getTime(), used_at: row.used_at?.getTime() ?? null, user_id: null },
      ]),
    ),
});
