import type { Act } from '../kernel/act.ts';
import { decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import type { Page } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import type { CrewEntry, EntryQuery, Summary } from './contract.ts';
import { countEntries, keyOf, selectEntries } from './entries.sql.ts';
import { describeForCrew } from './entry.ts';
import { selectSummary } from './summary.sql.ts';

export async function listWaitingList(tx: Tx, { at }: Act, eventId: number, query: EntryQuery): Promise<Page<CrewEntry>> {
  const { status, itemId } = query;
  const filter = { eventId, status, itemId, term: query.term?.trim() || undefined, at };
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor, ['number', 'number']);
  const rows = await selectEntries(tx, filter, after, rowsToFetch(query));
  const total = query.count ? await countEntries(tx, filter) : undefined;
  return toPage(rows, query, keyOf, (row) => describeForCrew(row, at), total);
}

const none = { waiting: 0, waitingTickets: 0, offered: 0, offeredTickets: 0, bought: 0, boughtTickets: 0, lapsed: 0, left: 0 };

export async function getWaitingListSummary(tx: Tx, { at }: Act, eventId: number): Promise<Summary> {
  const lines = await selectSummary(tx, eventId, at);
  const total = { ...none };
  for (const line of lines) for (const name of Object.keys(none) as (keyof typeof none)[]) total[name] += line[name];
  return { lines, total };
}
