import { type DoorSession, doorsAt, sessionAt } from './session-window.ts';

/** What a scanned code identifies: a ticket, or an imported code of a ticket that was sold elsewhere. */
export interface Subject {
  ticketId: number | null;
  /** Set only for a ticket sold elsewhere. A ticket of ours has null here, even if it carries an imported code. */
  codeId: number | null;
  /** The imported code that was scanned, whether or not a ticket carries it. Null for a signed code. */
  importedCodeId: number | null;
  itemId: number;
  holder: string | null;
  refunded: boolean;
  /** The sessions that it admits to. */
  sessions: DoorSession[];
}

export interface ScanValidity {
  session: DoorSession | null;
  verdict: 'valid' | 'wrong_session' | 'refunded' | 'unknown' | 'not_yet_valid';
}

/** Checks a scan by itself, without regard to other scans of the ticket. A session whose doors have closed is `wrong_session`. */
export function checkValidity(subject: Subject | undefined, at: number, sessionId: number | undefined): ScanValidity {
  if (!subject) return { session: null, verdict: 'unknown' };
  const session = sessionId === undefined ? sessionAt(subject.sessions, at) : (subject.sessions.find(({ id }) => id === sessionId) ?? null);
  if (subject.refunded) return { session, verdict: 'refunded' };
  if (!session) return { session: null, verdict: sessionId === undefined ? 'valid' : 'wrong_session' };
  const doors = doorsAt(session, at);
  if (doors === 'not_open_yet') return { session, verdict: 'not_yet_valid' };
  return { session, verdict: doors === 'open' ? 'valid' : 'wrong_session' };
}
