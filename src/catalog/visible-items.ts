import type { SaleStatus } from '../kernel/sale-statuses.ts';
import type { Tx } from '../postgres/database.ts';
import type { Item } from './contract.ts';
import { describe, isHidden, statusOf, type View } from './item.ts';
import { type ItemRow, selectLiveItems } from './items.sql.ts';

/** Something that buyers see. Reading it is one thing, looking at it for a channel or a session another, and cheap. */
export interface ItemOnShow {
  eventId: number;
  currency: string;
  sessionIds: readonly number[];
  group: { id: number; name: string; description: string; position: number } | null;
  status(view: View): SaleStatus;
  describe(view: View): Item;
}

/** What the events have on show, in the order of positions: nothing removed, and of the hidden only what is `revealed`. */
export async function itemsOnShow(tx: Tx, eventIds: readonly number[], revealed: ReadonlySet<number>): Promise<ItemOnShow[]> {
  const rows = await selectLiveItems(tx, eventIds);
  const groups = new Map(rows.filter(({ type }) => type === 'group').map((row) => [row.id, row]));
  const groupOf = ({ parent_id }: ItemRow) => (parent_id === null ? undefined : groups.get(parent_id));
  return rows
    .filter((row) => row.type !== 'group')
    .filter((row) => revealed.has(row.id) || !isHidden(row))
    .map((row) => onShow(row, groupOf(row)));
}

function onShow(row: ItemRow, group: ItemRow | undefined): ItemOnShow {
  return {
    eventId: row.event_id,
    currency: row.currency,
    sessionIds: row.session_ids,
    group: group ? { id: group.id, name: group.name, description: group.description, position: group.position } : null,
    status: (view) => statusOf(row, view),
    describe: (view) => describe(row, statusOf(row, view), view),
  };
}
