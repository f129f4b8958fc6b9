import type { Tx } from '../postgres/database.ts';
import { updateSessionCounters } from './sessions.sql.ts';

/** How many places of a session are gone, more or less by so many; beyond its capacity the database refuses. */
export async function moveSessionCounters(tx: Tx, moves: readonly { id: number; sold: number; held: number }[]): Promise<void> {
  await updateSessionCounters(tx, moves);
}
