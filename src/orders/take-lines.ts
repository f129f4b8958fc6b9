import type { View } from '../catalog/item.ts';
import { type hold, release, type Stock, type StockLine, sell, takeBack } from '../catalog/stock.ts';

/** Returns the view of the item that applies to the line: of one session if the line has one session, otherwise of the whole event. */
export const viewOf = ({ sessionIds, channel }: StockLine, at: Date): View => ({
  at,
  channel,
  ...(sessionIds.length === 1 && { session: sessionIds[0] as number }),
});

/**
 * Takes all lines from the stock, or none. Returns the lines for which the stock is too small, with the remaining quantity. Lines are taken
 * one by one, because they may share a limit. If the stock is too small for any line, the other lines are put back.
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

/** Whether the stock is large enough for all lines. Leaves the stock unchanged. */
export function hasEnoughStock(stock: Stock, lines: readonly StockLine[], at: Date): boolean {
  if (takeLines(stock, lines, at, sell).length > 0) return false;
  for (const line of lines) stock.move(line, takeBack);
  return true;
}
