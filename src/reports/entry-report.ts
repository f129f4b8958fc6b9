import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { selectReportedSessions } from './bordero.sql.ts';
import type { EntryReport } from './contract.ts';
import { countInside, countLateScans, selectEntries, selectHours } from './entry-report.sql.ts';
import { percentOf } from './figures.ts';

export async function getEntryReport(tx: Tx, eventId: number, sessionId: number | null): Promise<EntryReport> {
  if (sessionId !== null) await requireSession(tx, eventId, sessionId);
  const items = await selectEntries(tx, eventId, sessionId);
  const perHour = await selectHours(tx, eventId, sessionId);
  const unsynced = await countLateScans(tx, eventId, sessionId);
  const tickets = items.reduce((sum, item) => sum + item.tickets, 0);
  const checked = items.reduce((sum, item) => sum + item.checked, 0);
  return {
    eventId,
    sessionId,
    totals: {
      tickets,
      checked,
      unchecked: tickets - checked,
      percent: percentOf(checked, tickets),
      inside: await countInside(tx, eventId, sessionId),
    },
    stats: items
      .filter((item) => item.tickets > 0)
      .map((item) => ({
        id: item.id,
        name: item.name,
        type: item.type,
        checkedTickets: item.checked,
        uncheckedTickets: item.tickets - item.checked,
        external: item.type === 'external',
      })),
    perHour,
    unsynced,
  };
}

export async function requireSession(tx: Tx, eventId: number, sessionId: number): Promise<void> {
  const sessions = await selectReportedSessions(tx, eventId);
  if (!sessions.some(({ id }) => id === sessionId)) throw new Problem('not_found', `The event has no session ${sessionId}`);
}
