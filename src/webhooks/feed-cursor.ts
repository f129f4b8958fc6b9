import { type CursorField, decodeCursor, encodeCursor } from '../kernel/cursor.ts';
import { Problem } from '../kernel/problem.ts';

/**
 * A place in the feed. The time is when the reader had read everything up to the position. It shows whether changes after the position may
 * have been deleted.
 */
export interface FeedPlace {
  position: number;
  at: Date;
}

const dayMs = 86_400_000;
/** A change gets its position some time after it was made: its transaction may take a while, and no worker may be running. */
const lateMs = 60 * 60_000;

export const encodePlace = ({ position, at }: FeedPlace): string => encodeCursor([position, at.getTime()]);

/** Throws `cursor_expired` if changes after the cursor may have been deleted. `changeDays` is null if none is ever deleted. */
export function decodePlace(cursor: string, sentIn: CursorField['in'], changeDays: number | null, at: Date): FeedPlace {
  const [position, time] = decodeCursor(cursor, ['number', 'time'], { in: sentIn, field: 'since' });
  requireStored(new Date(time), changeDays, at);
  return { position, at: new Date(time) };
}

export function requireStored(since: Date, changeDays: number | null, at: Date): void {
  if (changeDays === null || since.getTime() - lateMs >= at.getTime() - changeDays * dayMs) return;
  throw new Problem(
    'cursor_expired',
    `Changes are stored for ${changeDays} days, and some since then are already deleted. Read the objects themselves, then start again.`,
  );
}
