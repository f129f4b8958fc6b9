import { requireEventOf } from '../events/event-of.ts';
import { decodeCursor } from '../kernel/cursor.ts';
import { Problem } from '../kernel/problem.ts';
import type { SaleStatus } from '../kernel/sale-statuses.ts';
import { toWallClock } from '../kernel/wall-clock.ts';
import type { Tx } from '../postgres/database.ts';
import { type AttributeValue, readValue } from './attribute-value.ts';
import type { Attribute, Item, SalesPeriod, Values } from './item-schemas.ts';
import { type ItemKey, type ItemRow, lockItemRow, type PeriodRow, selectItem, selectLiveItemsIn } from './items.sql.ts';
import { combineStatuses, type Limit, remaining, saleStatus } from './sale-status.ts';
import { claimedTickets } from './waiting-claims.ts';

export const webShop = 1;
export const boxOffice = 2;
export const app = 3;

/** The time and sales channel for which the status of an item is calculated. Without `session`, all sessions of the item count. */
export interface View {
  at: Date;
  channel: number;
  session?: number;
  /** Items of a draft have the status that they would have if the event were published. */
  asPublished?: boolean;
}

/** Converts rows to items. The status of a group depends on the items in it. One more query reads the items of all groups. */
export async function describeItems(tx: Tx, rows: readonly ItemRow[], view: View): Promise<Item[]> {
  const groups = rows.filter(({ type }) => type === 'group');
  const eventIds = [...new Set(groups.map(({ event_id }) => event_id))];
  const groupIds = groups.map(({ id }) => id);
  const children = groups.length === 0 ? [] : await selectLiveItemsIn(tx, eventIds, groupIds);
  return rows.map((row) => {
    const statuses = children.filter(({ parent_id }) => parent_id === row.id).map((child) => statusOf(child, view));
    return describe(row, row.type === 'group' ? combineStatuses(statuses) : statusOf(row, view), view);
  });
}

export async function getItem(tx: Tx, id: number, view: View): Promise<Item> {
  return getItemOfEvent(tx, await requireEventOf(tx, 'item', id), id, view);
}

export async function getItemOfEvent(tx: Tx, eventId: number, id: number, view: View): Promise<Item> {
  return describeRow(tx, await requireItem(tx, eventId, id), view);
}

async function requireItem(tx: Tx, eventId: number, id: number): Promise<ItemRow> {
  const row = await selectItem(tx, eventId, id);
  if (!row) throw new Problem('not_found');
  return row;
}

export async function describeRow(tx: Tx, row: ItemRow, view: View): Promise<Item> {
  const [item] = await describeItems(tx, [row], view);
  return item as Item;
}

export async function lockItem(tx: Tx, id: number): Promise<ItemRow> {
  return lockItemOfEvent(tx, await requireEventOf(tx, 'item', id), id);
}

export async function lockItemOfEvent(tx: Tx, eventId: number, id: number): Promise<ItemRow> {
  await lockItemRow(tx, eventId, id);
  return requireItem(tx, eventId, id);
}

export const periodOf = ({ periods }: ItemRow, channel: number): PeriodRow | undefined =>
  periods.find(({ appCategoryId }) => appCategoryId === channel);

/** A passport is valid for all its sessions, so all its sessions count even if the view has only one session. */
const sessionsOf = ({ type, sessions }: ItemRow, { session }: View): ItemRow['sessions'] =>
  session === undefined || type === 'passport' ? sessions : sessions.filter(({ id }) => id === session);

/** An item in a hidden group is hidden too. */
export const isHidden = ({ hidden, parent }: ItemRow): boolean => hidden || parent?.hidden === true;

/** The limits of the item itself, without its group, sale periods and sessions. */
export const limitsOf = ({ quantity, sold, held, codes_left }: ItemRow): Limit[] => [
  { limit: quantity, sold, held },
  ...(codes_left === null ? [] : [{ limit: codes_left, sold: 0, held }]),
];

export const limitOf = ({ available, sold, held }: PeriodRow): Limit => ({ limit: available, sold, held });

export function remainingOf(row: ItemRow, view: View): number | null {
  const period = periodOf(row, view.channel);
  const { ofItem, ofGroup, ofSession } = claimedTickets(row, view.at);
  const limits = [
    ...limitsOf(row).map(ofItem),
    ...(row.parent ? [ofGroup(row.parent)] : []),
    ...(period ? [view.channel === webShop ? ofItem(limitOf(period)) : limitOf(period)] : []),
  ];
  const sessions = sessionsOf(row, view).map(ofSession);
  if (row.type === 'passport') return remaining(limits, sessions, true);
  // Capacity that is left in a finished session cannot be sold.
  const unfinished = sessions.filter(({ finish }) => new Date(finish) > view.at);
  return remaining(limits, unfinished.length > 0 ? unfinished : sessions, false);
}

/** The total number of tickets for sale through a channel: the smallest limit of the item, its group and its sale period. */
export function totalOf(row: ItemRow, channel: number): number | null {
  const limits = [row.quantity, row.parent?.limit ?? null, periodOf(row, channel)?.available ?? null].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** The most tickets that one order could get if nothing were sold. Null if there is no limit, or if a limit is still zero: then it will be raised. */
export function capacityOf(row: ItemRow, view: View): number | null {
  const unsold = (limit: number | null): Limit => ({ limit, sold: 0, held: 0 });
  const sessions = sessionsOf(row, view).map(({ limit }) => unsold(limit));
  return remaining([unsold(totalOf(row, view.channel))], sessions, row.type === 'passport') || null;
}

export function statusOf(row: ItemRow, view: View): SaleStatus {
  const { at, channel } = view;
  const sessions = sessionsOf(row, view);
  const period = periodOf(row, channel);
  return saleStatus(
    {
      eventOnSale: row.event_on_sale || (view.asPublished === true && row.event_draft && row.event_sale_enabled),
      archived: row.archived,
      salable: row.salable,
      groupClosed: row.parent?.closed ?? false,
      hasValues: row.values !== null,
      over: sessions.length > 0 && sessions.every(({ finish }) => new Date(finish) <= at),
      period: period ? { start: new Date(period.start), finish: new Date(period.finish), available: period.available } : null,
      remaining: remainingOf(row, view),
    },
    at,
  );
}

export function describe(row: ItemRow, status: SaleStatus, view: View): Item {
  return {
    id: row.id,
    eventId: row.event_id,
    name: row.name,
    description: row.description,
    type: row.type,
    parentId: row.parent_id,
    sessionIds: row.session_ids,
    quantity: row.quantity,
    position: row.position,
    hidden: row.hidden,
    salable: row.salable,
    archived: row.archived,
    attributes: row.attributes.map(toAttribute),
    salesPeriods: row.periods.map((period) => toSalesPeriod(period, row.timezone)),
    values: row.values && toValues(row.values, row.currency),
    status,
    sold: row.sold,
    held: row.held,
    remaining: remainingOf(row, view),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export function toAttribute({ key, type, value }: ItemRow['attributes'][number]): Attribute {
  return { key, value: readValue(value, type) as AttributeValue, type };
}

export function toSalesPeriod({ start, finish, ...rest }: PeriodRow, timezone: string): SalesPeriod {
  return { ...rest, start: toWallClock(new Date(start), timezone), finish: toWallClock(new Date(finish), timezone) };
}

export function toValues({ price, feeSale, feeProducer }: NonNullable<ItemRow['values']>, currency: string): Values {
  return { price, feeSale, feeProducer, finalPrice: price + feeSale, currency };
}

export const keyOf = (row: ItemRow): ItemKey => [row.event_id, row.position, row.id];

export const readItemCursor = (cursor: string | undefined): ItemKey | null =>
  cursor === undefined ? null : decodeCursor(cursor, ['number', 'number', 'number']);
