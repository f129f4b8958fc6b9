import type { View } from '../catalog/item.ts';
import { type hold, release, type Stock, type StockLine, sell, takeBack } from '../catalog/stock.ts';

/** As a line looks at its item: in the one session that it is for, or in all. */
export const viewOf = ({ sessionIds, channel }: StockLine, at: Date): View => ({
  at,
  channel,
  ...(sessionIds.length === 1 && { session: sessionIds[0] as number }),
});

/**
 * All of the lines or none, one after the other, as they may share a limit; what was taken is put back when a later one falls short.
 * Answers those that did, with what remains.
 */
export function takeLines<L extends StockLine>(
  stock: Stock,
  lines: readonly L[],
  at: Date,
  move: typeof hold,
): { line: L; remaining: number }[] {
  const taken: L[] = [];
  const short: { line: L; remaining: number }[] = [];
  for (const line of lines) {
    const remaining = stock.item(line.itemId)?.remaining(viewOf(line, at)) ?? null;
    if (remaining !== null && remaining < line.quantity) {
      short.push({ line, remaining });
    } else {
      stock.move(line, move);
      taken.push(line);
    }
  }
  if (short.length > 0) for (const line of taken) stock.move(line, move === sell ? takeBack : release);
  return short;
}
