import { requireNotBelowSold } from '../events/sessions.ts';
import type { Act } from '../kernel/act.ts';
import { readPeriod } from '../kernel/period.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { refuseReadOnlyChanges, withoutUnchanged } from '../kernel/read-only.ts';
import { toWallClock } from '../kernel/wall-clock.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { lockItem, periodOf, toSalesPeriod } from './item.ts';
import { deleteUnusedSalesPeriod, insertSalesPeriod, selectSalesPeriodForUpdate, updateSalesPeriodRow } from './item-parts.sql.ts';
import type { SalesPeriodChanges } from './item-parts-contract.ts';
import { requireSellable } from './item-rules.ts';
import type { NewSalesPeriod, SalesPeriod } from './item-schemas.ts';
import { type ItemRow, type PeriodRow, updateItemRow } from './items.sql.ts';

const maxPeriods = 100;

export async function createSalesPeriod(tx: Tx, act: Act, itemId: number, body: NewSalesPeriod): Promise<SalesPeriod> {
  const item = await lockItem(tx, itemId);
  requireSellable(item, 'appCategoryId');
  const { appCategoryId, available } = body;
  if (item.periods.some((known) => known.appCategoryId === appCategoryId)) {
    throw new Problem('already_exists', `The item already has a sale period for appCategoryId ${appCategoryId}. Change it with PUT.`);
  }
  if (item.periods.length >= maxPeriods) {
    throw ruleViolation('appCategoryId', 'limit', `An item can have at most ${maxPeriods} sale periods. Delete one first.`);
  }
  const { start, finish } = readPeriod(body, item.timezone);
  await insertSalesPeriod(tx, {
    event_id: item.event_id,
    item_id: itemId,
    app_category_id: appCategoryId,
    starts_at: start,
    finishes_at: finish,
    available,
  });
  return recordPeriod(tx, act, item, null, { appCategoryId, available, sold: 0, held: 0, ...toIsoTimes({ start, finish }) });
}

export async function updateSalesPeriod(tx: Tx, act: Act, itemId: number, sent: SalesPeriodChanges): Promise<SalesPeriod> {
  const item = await lockItem(tx, itemId);
  const { appCategoryId } = sent;
  const row = await selectSalesPeriodForUpdate(tx, item.event_id, itemId, appCategoryId);
  if (!row) throw new Problem('not_found', `The item has no sale period for appCategoryId ${appCategoryId}. Create it with POST.`);
  refuseReadOnlyChanges(sent, row, ['sold', 'held']);
  const { available = row.available } = sent;
  requireNotBelowSold('available', available, row);
  // A time that is sent back unchanged keeps its exact instant, because its local time is ambiguous when clocks are set back.
  const current = toIsoTimes({ start: row.starts_at, finish: row.finishes_at });
  const currentLocal = { start: toWallClock(row.starts_at, item.timezone), finish: toWallClock(row.finishes_at, item.timezone) };
  const period = readPeriod({ ...current, ...withoutUnchanged(sent, currentLocal, ['start', 'finish']) }, item.timezone);
  await updateSalesPeriodRow(tx, item.event_id, itemId, appCategoryId, { starts_at: period.start, finishes_at: period.finish, available });
  const counters = { appCategoryId, sold: row.sold, held: row.held };
  const before = { ...counters, available: row.available, ...current };
  return recordPeriod(tx, act, item, before, { ...counters, available, ...toIsoTimes(period) });
}

export async function deleteSalesPeriod(tx: Tx, act: Act, itemId: number, appCategoryId: number): Promise<void> {
  const item = await lockItem(tx, itemId);
  const period = periodOf(item, appCategoryId);
  if (!period) throw new Problem('not_found', `The item has no sale period for appCategoryId ${appCategoryId}`);
  if (!(await deleteUnusedSalesPeriod(tx, item.event_id, itemId, appCategoryId))) {
    const { sold, held } = period;
    const message = `${sold} tickets are sold and ${held} held through this channel. To close it, set available to ${sold + held} or finish to a past time.`;
    throw new Problem('wrong_state', message, { extra: { sold, held } });
  }
  await updateItemRow(tx, item.event_id, itemId, { updated_at: act.at });
  const before = toSalesPeriod(period, item.timezone);
  await record(tx, act, { subject: 'sale_period', id: itemId, eventId: item.event_id, before });
}

const toIsoTimes = ({ start, finish }: { start: Date; finish: Date }) => ({ start: start.toISOString(), finish: finish.toISOString() });

async function recordPeriod(tx: Tx, act: Act, item: ItemRow, before: PeriodRow | null, after: PeriodRow): Promise<SalesPeriod> {
  await updateItemRow(tx, item.event_id, item.id, { updated_at: act.at });
  const period = toSalesPeriod(after, item.timezone);
  const earlier = before && toSalesPeriod(before, item.timezone);
  await record(tx, act, { subject: 'sale_period', id: item.id, eventId: item.event_id, before: earlier, after: period });
  return period;
}
