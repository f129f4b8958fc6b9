import { type DoorSession, doorsAt, sessionAt } from './session-window.ts';

/** What a code stands for: a ticket, or a ticket that was sold elsewhere. */
export interface Subject {
  ticketId: number | null;
  /** Of a ticket sold elsewhere; null for tickets of ours, whatever code they carry. */
  codeId: number | null;
  /** The imported code that it is known by, if any. */
  importedCodeId: number | null;
  itemId: number;
  holder: string | null;
  refunded: boolean;
  /** The sessions that it is for. */
  sessions: DoorSession[];
}

export interface Examined {
  session: DoorSession | null;
  verdict: 'good' | 'wrong_session' | 'refunded' | 'unknown' | 'not_yet_valid';
}

/** What a scan is worth by itself, whoever was scanned before. A session that is over is a wrong one. */
export function examine(subject: Subject | undefined, at: number, sessionId: number | undefined): Examined {
  if (!subject) return { session: null, verdict: 'unknown' };
  const meant = sessionId === undefined ? sessionAt(subject.sessions, at) : (subject.sessions.find(({ id }) => id === sessionId) ?? null);
  if (subject.refunded) return { session: meant, verdict: 'refunded' };
  if (!meant) return { session: null, verdict: sessionId === undefined ? 'good' : 'wrong_session' };
  const doors = doorsAt(meant, at);
  if (doors === 'closed_yet') return { session: meant, verdict: 'not_yet_valid' };
  return { session: meant, verdict: doors === 'open' ? 'good' : 'wrong_session' };
}
