import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { type EventFacts, selectEventFacts } from './events.sql.ts';

/** Returns which parts of an event are filled in, without a lock. */
export async function readEventFacts(tx: Tx, id: number): Promise<EventFacts> {
  const facts = await selectEventFacts(tx, id);
  if (!facts) throw new Problem('not_found');
  return facts;
}
