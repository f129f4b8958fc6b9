import type { Tx } from '../postgres/database.ts';
import { itemOf } from '../tickets/ticket-sheet.ts';
import { selectItemsWithGroup } from './order-mails.sql.ts';

interface Line {
  itemId: number;
  name: string;
}

/** Returns the lines with the names of their groups, such as `Pista · 2º lote`. A buyer may not know what `2º lote` alone means. */
export async function withGroupNames<L extends Line>(tx: Tx, eventId: number, lines: readonly L[]): Promise<L[]> {
  const items = await selectItemsWithGroup(
    tx,
    eventId,
    lines.map(({ itemId }) => itemId),
  );
  const names = new Map(items.map((item) => [item.id, itemOf(item)]));
  return lines.map((line) => ({ ...line, name: names.get(line.itemId) ?? line.name }));
}
