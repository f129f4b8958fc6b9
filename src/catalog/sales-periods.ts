import { requireNotBelow } from '../events/require-not-below.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { refuseReadOnlyChanges, withoutUnchanged } from '../kernel/read-only.ts';
import { readMoment, toWallClock } from '../kernel/wall-clock.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { NewSalesPeriod, SalesPeriod, SalesPeriodChanges } from './contract.ts';
import { lockItem, periodOf, toSalesPeriod } from './item.ts';
import { requireSellable } from './item-rules.ts';
import { type ItemRow, type PeriodRow, updateItemRow } from './items.sql.ts';
import { deleteUnusedSalesPeriod, insertSalesPeriod, selectSalesPeriodForUpdate, updateSalesPeriodRow } from './parts.sql.ts';

const mostPeriods = 100;

export async function createSalesPeriod(tx: Tx, act: Act, itemId: number, body: NewSalesPeriod): Promise<SalesPeriod> {
  const item = await lockItem(tx, itemId);
  requireSellable(item, 'appCategoryId');
  const { appCategoryId, available } = body;
  if (item.periods.some((known) => known.appCategoryId === appCategoryId)) {
    throw new Problem('already_exists', `The item has a sale period for appCategoryId ${appCategoryId}; change it with PUT`);
  }
  if (item.periods.length >= mostPeriods) throw ruleViolation('appCategoryId', 'limit', `An item has at most ${mostPeriods} sale periods`);
  const span = readSpan(item, body);
  await insertSalesPeriod(tx, {
    item_id: itemId,
    app_category_id: appCategoryId,
    starts_at: span.start,
    finishes_at: span.finish,
    available,
  });
  return settle(tx, act, item, null, { appCategoryId, available, sold: 0, held: 0, ...inText(span) });
}

export async function updateSalesPeriod(tx: Tx, act: Act, itemId: number, sent: SalesPeriodChanges): Promise<SalesPeriod> {
  const item = await lockItem(tx, itemId);
  const { appCategoryId } = sent;
  const row = await selectSalesPeriodForUpdate(tx, itemId, appCategoryId);
  if (!row) throw new Problem('not_found', `The item has no sale period for appCategoryId ${appCategoryId}`);
  refuseReadOnlyChanges(sent, row, ['sold', 'held']);
  const { available = row.available } = sent;
  requireNotBelow('available', available, row);
  const known = { start: row.starts_at.toISOString(), finish: row.finishes_at.toISOString() };
  const onTheWall = { start: toWallClock(row.starts_at, item.timezone), finish: toWallClock(row.finishes_at, item.timezone) };
  const span = readSpan(item, { ...known, ...withoutUnchanged(sent, onTheWall, ['start', 'finish']) });
  await updateSalesPeriodRow(tx, itemId, appCategoryId, { starts_at: span.start, finishes_at: span.finish, available });
  const counters = { appCategoryId, sold: row.sold, held: row.held };
  return settle(tx, act, item, { ...counters, available: row.available, ...known }, { ...counters, available, ...inText(span) });
}

export async function deleteSalesPeriod(tx: Tx, act: Act, itemId: number, appCategoryId: number): Promise<void> {
  const item = await lockItem(tx, itemId);
  const period = periodOf(item, appCategoryId);
  if (!period) throw new Problem('not_found', `The item has no sale period for appCategoryId ${appCategoryId}`);
  if (!(await deleteUnusedSalesPeriod(tx, itemId, appCategoryId))) {
    const { sold, held } = period;
    const message = `${sold} tickets are sold and ${held} held through this channel. To close it, set available to ${sold + held} or finish to a past time.`;
    throw new Problem('wrong_state', message, { extra: { sold, held } });
  }
  await updateItemRow(tx, itemId, { updated_at: act.at });
  const before = toSalesPeriod(period, item.timezone);
  await record(tx, act, { subject: 'sale_period', id: itemId, eventId: item.event_id, before });
}

interface Span {
  start: Date;
  finish: Date;
}

const inText = ({ start, finish }: Span) => ({ start: start.toISOString(), finish: finish.toISOString() });

function readSpan({ timezone }: ItemRow, { start, finish }: { start: string; finish: string }): Span {
  const read = (field: string, text: string) => {
    const moment = readMoment(text, timezone);
    if (!moment) throw ruleViolation(field, 'no_such_time', `${text} does not exist in ${timezone}`);
    return moment;
  };
  const span = { start: read('start', start), finish: read('finish', finish) };
  if (span.start >= span.finish) throw ruleViolation('finish', 'order', 'finish must be after start');
  return span;
}

async function settle(tx: Tx, act: Act, item: ItemRow, before: PeriodRow | null, after: PeriodRow): Promise<SalesPeriod> {
  await updateItemRow(tx, item.id, { updated_at: act.at });
  const period = toSalesPeriod(after, item.timezone);
  const earlier = before && toSalesPeriod(before, item.timezone);
  await record(tx, act, { subject: 'sale_period', id: item.id, eventId: item.event_id, before: earlier, after: period });
  return period;
}
