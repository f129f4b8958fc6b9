import type { Statement } from '../postgres/pipeline.ts';
import { updateSessionCounters } from './sessions.sql.ts';

/** How many places of a session are gone, more or less by so many; beyond its capacity the database refuses. */
export const moveSessionCounters = (moves: readonly { id: number; sold: number; held: number }[]): Statement =>
  updateSessionCounters(moves);
