import { type DoorSession, doorsAt, sessionAt } from './session-window.ts';

/** The ticket that a scanned code identifies: one of our tickets, or a ticket that was sold elsewhere and whose code was imported. */
export interface AdmissibleTicket {
  ticketId: number | null;
  /** Set only for a ticket that was sold elsewhere. Null for one of our tickets, even if an imported code is assigned to it. */
  codeId: number | null;
  /** The imported code that was scanned, whether or not it is assigned to one of our tickets. Null if a signed code was scanned. */
  importedCodeId: number | null;
  itemId: number;
  holder: string | null;
  refunded: boolean;
  /** Whether the payment of the ticket is disputed, and the event refuses such tickets. */
  refusedAsDisputed: boolean;
  /** The sessions for which the ticket is valid. */
  sessions: DoorSession[];
}

export interface ScanValidity {
  session: DoorSession | null;
  verdict: 'valid' | 'wrong_session' | 'refunded' | 'unknown' | 'not_yet_valid';
}

/** Checks one scan, without other scans of the ticket. Returns `wrong_session` if the doors of the session have closed. */
export function checkValidity(ticket: AdmissibleTicket | undefined, at: number, sessionId: number | undefined): ScanValidity {
  if (!ticket) return { session: null, verdict: 'unknown' };
  const session = sessionId === undefined ? sessionAt(ticket.sessions, at) : (ticket.sessions.find(({ id }) => id === sessionId) ?? null);
  if (ticket.refunded || ticket.refusedAsDisputed) return { session, verdict: 'refunded' };
  if (!session) return { session: null, verdict: sessionId === undefined ? 'valid' : 'wrong_session' };
  const doors = doorsAt(session, at);
  if (doors === 'not_open_yet') return { session, verdict: 'not_yet_valid' };
  return { session, verdict: doors === 'open' ? 'valid' : 'wrong_session' };
}
