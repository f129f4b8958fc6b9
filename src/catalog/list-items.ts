import { reach } from '../accounts/roles.ts';
import type { Act, User } from '../kernel/act.ts';
import { rowsToFetch, toPage } from '../kernel/cursor.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import { describeItems, keyOf, readItemCursor, webShop } from './item.ts';
import type { Item } from './item-schemas.ts';
import { countItems, selectItems } from './items.sql.ts';

export interface ItemQuery extends PageQuery {
  eventId?: number;
  term?: string;
  archived?: boolean | 'all';
  appCategoryId?: number;
}

export async function listItems(tx: Tx, act: Act<User>, query: ItemQuery): Promise<Page<Item>> {
  const { eventId, term, archived = false, appCategoryId: channel = webShop } = query;
  const filter = { reach: reach(act.actor, 'item.read'), eventId, term, archived };
  const rows = await selectItems(tx, filter, readItemCursor(query.cursor), rowsToFetch(query));
  const total = query.count ? await countItems(tx, filter) : undefined;
  const page = toPage(rows, query, keyOf, (row) => row, total);
  return { ...page, data: await describeItems(tx, page.data, { at: act.at, channel }) };
}
