import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { startOf, toWallClock } from '../kernel/wall-clock.ts';
import { type ActivityEntry, readActivity } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { selectReportedEvent, selectSales } from './bordero.sql.ts';
import { type BucketRow, type StockRow, selectBuckets, selectStock } from './dashboard.sql.ts';
import type { Dashboard, Span } from './dashboard-contract.ts';
import { countInside, selectEntries } from './entry-report.sql.ts';
import { figuresOf, percentOf, type Sale, sortedGroups } from './figures.ts';

/** How many days the chart goes back. The limits keep the number of rows small that a request reads. */
const daysBack: Record<Span, number> = { hour: 7, day: 90 };
const latestChanges = 20;

/** Reads sums and counters only, because the console polls it. Items are read after the sales, so that no sale lacks its item. */
export async function getDashboard(tx: Tx, { at }: Act, eventId: number, by: Span): Promise<Dashboard> {
  const event = await selectReportedEvent(tx, eventId);
  if (!event) throw new Problem('not_found');
  const rows = await selectSales(tx, eventId);
  const items = await selectStock(tx, eventId);
  const courtesies = new Set(items.filter(({ type }) => type === 'courtesy').map(({ id }) => id));
  const sales = rows.map((row): Sale => ({ ...row, courtesy: courtesies.has(row.itemId) }));
  const { timezone: zone, currency } = event;
  const since = startOf(by, at, -daysBack[by], zone);
  const buckets = await selectBuckets(tx, eventId, { by, since, zone });
  const held = items.reduce((sum, item) => sum + item.held, 0);
  return {
    eventId,
    currency,
    timezone: zone,
    totals: { held, left: leftIn(items), ...figuresOf(sales) },
    items: items.map((item) => describeItem(item, sales)),
    channels: sortedGroups(sales, ({ channel }) => channel).map(([appCategoryId, part]) => ({ appCategoryId, ...figuresOf(part) })),
    sales: {
      by,
      since: toWallClock(since, zone),
      buckets: buckets.filter(({ tickets }) => tickets > 0).map(({ start, tickets, paid }) => ({ start, tickets, paid })),
    },
    conversion: conversionOf(buckets, held),
    entries: await readEntries(tx, eventId),
    activity: (await readActivity(tx, eventId, latestChanges)).map(describeActivity),
  };
}

function describeItem(
  { id: itemId, name, type, archived, quantity, held, left }: StockRow,
  sales: readonly Sale[],
): Dashboard['items'][number] {
  const own = sales.filter((sale) => sale.itemId === itemId);
  return { itemId, name, type, archived, quantity, held, left, ...figuresOf(own) };
}

/** Adds up what is left of items that are offered. Returns null if any of them has no limit. */
function leftIn(items: readonly StockRow[]): number | null {
  const offered = items.filter(({ archived, type }) => !archived && type !== 'external');
  return offered.reduce<number | null>((sum, { left }) => (sum === null || left === null ? null : sum + left), 0);
}

/** Tickets that are held now can still be paid, so they do not count. Orders that were placed before the period can raise `paid`. */
function conversionOf(buckets: readonly BucketRow[], held: number): Dashboard['conversion'] {
  const ordered = buckets.reduce((sum, bucket) => sum + bucket.ordered, 0);
  const paid = buckets.reduce((sum, bucket) => sum + bucket.tickets, 0);
  const decided = Math.max(ordered - held, paid);
  return { ordered, paid, percent: decided === 0 ? null : percentOf(paid, decided) };
}

async function readEntries(tx: Tx, eventId: number): Promise<Dashboard['entries']> {
  const entries = await selectEntries(tx, eventId, null);
  const tickets = entries.reduce((sum, item) => sum + item.tickets, 0);
  const checked = entries.reduce((sum, item) => sum + item.checked, 0);
  return { tickets, checked, percent: percentOf(checked, tickets), inside: await countInside(tx, eventId, null) };
}

const describeActivity = ({ id, at, operation, actor_kind: kind, actor, actor_name, subject, subject_id }: ActivityEntry) => ({
  id,
  at: at.toISOString(),
  operation,
  actor: { kind, id: kind === 'user' || kind === 'device' ? Number(actor) : null, name: kind === 'system' ? actor : actor_name },
  subject,
  subjectId: subject_id,
});
