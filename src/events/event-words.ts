import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { deleteEventWords, insertEventWords } from './event-words.sql.ts';
import type { EventRow } from './events.sql.ts';

const searched = [
  'title',
  'subtitle',
  'description',
  'venue_name',
  'venue_city',
  'status',
  'starts_at',
] as const satisfies (keyof EventRow)[];

type SearchedColumns = Pick<EventRow, 'id' | (typeof searched)[number]>;

/**
 * Writes the words by which the public search finds the event. Every change of the event row calls this function after the row was written.
 * It writes nothing if no column of the search has changed.
 */
export async function updateEventWords(tx: Tx, before: SearchedColumns, after: SearchedColumns): Promise<void> {
  if (searched.every((name) => before[name]?.valueOf() === after[name]?.valueOf())) return;
  await executeAll(tx, [deleteEventWords(after.id), insertEventWords(after.id)]);
}
