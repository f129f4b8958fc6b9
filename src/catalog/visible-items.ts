import type { SaleStatus } from '../kernel/sale-statuses.ts';
import type { Tx } from '../postgres/database.ts';
import { describe, isHidden, statusOf, type View } from './item.ts';
import type { Item } from './item-schemas.ts';
import { type ItemRow, selectLiveItems } from './items.sql.ts';

/** An item that buyers can see. */
export interface VisibleItem {
  eventId: number;
  currency: string;
  sessionIds: readonly number[];
  group: { id: number; name: string; description: string; position: number } | null;
  status(view: View): SaleStatus;
  describe(view: View): Item;
}

/** The items of some events, read from the database with one query. */
export interface LiveItems {
  /** Returns the items sorted by position, without hidden items that are not `revealed`. */
  visible(revealed: ReadonlySet<number>): VisibleItem[];
}

/** Reads the items of the events, without removed items. */
export async function readLiveItems(tx: Tx, eventIds: readonly number[]): Promise<LiveItems> {
  const rows = await selectLiveItems(tx, eventIds);
  const groups = new Map(rows.filter(({ type }) => type === 'group').map((row) => [row.id, row]));
  const groupOf = ({ parent_id }: ItemRow) => (parent_id === null ? undefined : groups.get(parent_id));
  return {
    visible: (revealed) =>
      rows
        .filter((row) => row.type !== 'group')
        .filter((row) => revealed.has(row.id) || !isHidden(row))
        .map((row) => toVisibleItem(row, groupOf(row))),
  };
}

function toVisibleItem(row: ItemRow, group: ItemRow | undefined): VisibleItem {
  return {
    eventId: row.event_id,
    currency: row.currency,
    sessionIds: row.session_ids,
    group: group ? { id: group.id, name: group.name, description: group.description, position: group.position } : null,
    status: (view) => statusOf(row, view),
    describe: (view) => describe(row, statusOf(row, view), view),
  };
}
