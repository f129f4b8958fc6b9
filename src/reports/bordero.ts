import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { toWallClock } from '../kernel/wall-clock.ts';
import type { Tx } from '../postgres/database.ts';
import {
  type FeesRow,
  type ReportedEvent,
  type ReportedItem,
  type ReportedSession,
  selectFees,
  selectReportedEvent,
  selectReportedItems,
  selectReportedSessions,
  selectSales,
} from './bordero.sql.ts';
import { canonicalHash } from './canonical-json.ts';
import type { Bordero, BorderoContent, BorderoRow, BorderoSession, Figures } from './contract.ts';
import { figuresOf, percentOf, type Sale, sortedGroups } from './figures.ts';

/** One statement reads all sales, so that the figures are consistent. Items are read after the sales, so that no sale lacks its item. */
export async function getBordero(tx: Tx, { at }: Act, eventId: number, sessionId: number | null): Promise<Bordero> {
  const sales = await selectSales(tx, eventId);
  const fees = await selectFees(tx, eventId);
  const event = await selectReportedEvent(tx, eventId);
  const sessions = await selectReportedSessions(tx, eventId);
  const items = await selectReportedItems(tx, eventId);
  if (!event || (sessionId !== null && !sessions.some(({ id }) => id === sessionId))) throw new Problem('not_found');
  const courtesies = new Set(items.filter(({ type }) => type === 'courtesy').map(({ id }) => id));
  const classified = sales.map((row): Sale => ({ ...row, courtesy: courtesies.has(row.itemId) }));
  const content = describeBordero({ event, sessions, items, sales: classified, fees }, sessionId);
  return { ...content, generatedAt: at.toISOString(), hash: canonicalHash(content) };
}

interface BorderoFacts {
  event: ReportedEvent;
  sessions: readonly ReportedSession[];
  items: readonly ReportedItem[];
  sales: readonly Sale[];
  fees: FeesRow[];
}

/**
 * With a session id, only sales for exactly that session count. Passports for several sessions are only in the bordero of the whole event.
 */
function describeBordero(facts: BorderoFacts, sessionId: number | null): BorderoContent {
  const { event, items } = facts;
  const isIncluded = (sessionIds: readonly number[]) => sessionId === null || (sessionIds.length === 1 && sessionIds[0] === sessionId);
  const sessions = facts.sessions.filter(({ id }) => isIncluded([id]));
  const sales = facts.sales.filter(({ sessionIds }) => isIncluded(sessionIds));
  const groups = sessionGroups(facts).filter(({ sessionIds }) => isIncluded(sessionIds));
  const rows = groups.flatMap((group) => group.items);
  return {
    event: { id: event.id, title: event.title, link: event.link, timezone: event.timezone },
    producer: { id: event.producer_id, name: event.producer_name },
    sessionId,
    period: periodOf(event, sessions, sales),
    currency: event.currency,
    sessions: groups,
    channels: sortedGroups(sales, ({ channel }) => channel).map(([appCategoryId, part]) => ({ appCategoryId, ...figuresOf(part) })),
    payments: sortedGroups(sales, ({ method }) => method).map(([method, part]) => ({ method, ...figuresOf(part) })),
    providerFees: sessionId === null ? facts.fees : null,
    halfPrice: halfPriceOf(items, sales),
    totals: { offered: offeredIn(rows), ...figuresOf(sales) },
  };
}

function periodOf({ timezone }: ReportedEvent, sessions: readonly ReportedSession[], sales: readonly Sale[]): Bordero['period'] {
  const byEnd = sessions.toSorted((a, b) => a.finish.getTime() - b.finish.getTime());
  const [first, last] = [sessions[0], byEnd.at(-1)];
  const sold = sales.flatMap(({ firstAt, lastAt }) => [firstAt, lastAt].flatMap((time) => time?.toISOString() ?? [])).toSorted();
  return {
    start: first ? toWallClock(first.start, timezone) : null,
    finish: last ? toWallClock(last.finish, timezone) : null,
    firstSale: sold[0] ?? null,
    lastSale: sold.at(-1) ?? null,
  };
}

function halfPriceOf(items: readonly ReportedItem[], sales: readonly Sale[]): Bordero['halfPrice'] {
  const half = new Set(items.filter(({ halfPrice }) => halfPrice).map(({ id }) => id));
  const { sold, gross } = figuresOf(sales.filter(({ itemId }) => half.has(itemId)));
  return { sold, gross, percent: percentOf(sold, figuresOf(sales).sold) };
}

const keyOf = (sessionIds: readonly number[]): string => sessionIds.toSorted((a, b) => a - b).join(',');
const idsOf = (key: string): number[] => (key === '' ? [] : key.split(',').map(Number));

/** One group per session ordered by start, then one group per set of several sessions, such as those of a passport. */
function sessionGroups({ event, sessions, items, sales }: BorderoFacts): BorderoSession[] {
  const byKey = new Map(sortedGroups(sales, ({ sessionIds }) => keyOf(sessionIds)));
  const onOffer = new Map(sortedGroups(offersOf(items, sessions), ({ key }) => key));
  const single = new Map(sessions.map((session) => [keyOf([session.id]), session]));
  const several = [...new Set([...byKey.keys(), ...onOffer.keys()])].filter((key) => !single.has(key));
  return [...single.keys(), ...several.toSorted(byIds)].map((key) => {
    const session = single.get(key);
    const offered = new Set((onOffer.get(key) ?? []).map(({ itemId }) => itemId));
    const rows = items.flatMap((item) => rowsOf(item, byKey.get(key) ?? [], offered.has(item.id)));
    return {
      sessionId: session?.id ?? null,
      sessionIds: idsOf(key),
      name: session?.name ?? null,
      start: session ? toWallClock(session.start, event.timezone) : null,
      finish: session ? toWallClock(session.finish, event.timezone) : null,
      items: rows,
      totals: { offered: offeredIn(rows), ...figuresOf(byKey.get(key) ?? []) },
    };
  });
}

/**
 * Returns in which groups an item is listed even if it was not sold: in each of its sessions, or for a passport in the set of its sessions.
 */
function offersOf(items: readonly ReportedItem[], sessions: readonly ReportedSession[]): { key: string; itemId: number }[] {
  return items.flatMap(({ id: itemId, type, price, sessionIds }) => {
    if (price === null) return [];
    const ids = sessionIds.length > 0 ? sessionIds : sessions.map(({ id }) => id);
    const keys = type === 'passport' ? [keyOf(ids)] : ids.map((id) => keyOf([id]));
    return keys.map((key) => ({ key, itemId }));
  });
}

/** One row per price at which the item was sold. An unsold item that is on offer gets one row of zeros. */
function rowsOf(item: ReportedItem, sales: readonly Sale[], onOffer: boolean): BorderoRow[] {
  const { id: itemId, name, type, halfPrice, offered } = item;
  const row = (price: number, figures: Figures): BorderoRow => ({ itemId, name, type, halfPrice, price, offered, ...figures });
  const own = sales.filter((sale) => sale.itemId === itemId);
  if (own.length === 0) return onOffer ? [row(item.price ?? 0, figuresOf([]))] : [];
  return sortedGroups(own, ({ price }) => price).map(([price, part]) => row(price, figuresOf(part)));
}

/** Adds up the quantities of all items. An item with several rows counts once. Returns null if any item has no limit. */
function offeredIn(rows: readonly BorderoRow[]): number | null {
  const byItem = new Map(rows.map(({ itemId, offered }) => [itemId, offered]));
  let sum = 0;
  for (const offered of byItem.values()) {
    if (offered === null) return null;
    sum += offered;
  }
  return sum;
}

function byIds(a: string, b: string): number {
  const [left, right] = [idsOf(a), idsOf(b)];
  const at = left.findIndex((id, i) => id !== right[i]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}
