import { isAllowed } from '../accounts/roles.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { type ReadCode, readCode } from '../tickets/read-code.ts';
import type { Entry } from './contract.ts';
import { selectProducerId } from './door.sql.ts';
import { parseTimes } from './scan-times.ts';

export interface CheckinRequest {
  act: Act;
  eventId: number;
  entries: readonly Entry[];
}

export interface ParsedEntry {
  request: CheckinRequest;
  entry: Entry;
  at: number;
  /** The parsed code. Null if the scanned text does not have the format of our ticket codes. */
  code: ReadCode | null;
}

/** Whether the entry names a ticket that a search has found, instead of a code. */
export const namesTicket = ({ ticketId }: Entry): boolean => ticketId !== undefined;

/** Returns the entries of requests of one event, or a problem for each request that is refused. */
export async function parseEntries(
  tx: Tx,
  eventId: number,
  requests: readonly CheckinRequest[],
): Promise<Map<CheckinRequest, ParsedEntry[] | Problem>> {
  // Only requests that name tickets need another permission than the one that was checked already.
  const producerId = requests.some(({ entries }) => entries.some(namesTicket)) ? await selectProducerId(tx, eventId) : null;
  return new Map(requests.map((request) => [request, parseRequest(request, producerId)]));
}

function parseRequest(request: CheckinRequest, producerId: number | null): ParsedEntry[] | Problem {
  const times = parseTimes(request.entries, request.act.at);
  if (times instanceof Problem) return times;
  const refusal = refusalOf(request, producerId);
  if (refusal) return refusal;
  return request.entries.map((entry, i) => {
    const code = entry.code === undefined ? null : readCode(entry.code);
    return { request, entry, at: times[i] ?? 0, code };
  });
}

function refusalOf({ act, eventId, entries }: CheckinRequest, producerId: number | null): Problem | null {
  const wrong = entries.findIndex(({ code, ticketId }) => (code === undefined) === (ticketId === undefined));
  if (wrong >= 0) return ruleViolation(`entries[${wrong}]`, 'code_or_ticket', 'Send either code or ticketId.');
  if (producerId === null || !entries.some(namesTicket) || isAllowed(act.actor, 'guest.search', { producerId, eventId })) return null;
  return new Problem('forbidden', 'Entries with a ticketId need the permission guest.search.');
}
