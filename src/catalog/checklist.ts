import { readEventFacts } from '../events/event-facts.ts';
import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import type { ChecklistEntry } from './contract.ts';
import { periodOf, webShop } from './item.ts';
import { selectLiveItems } from './items.sql.ts';

type Check = Omit<ChecklistEntry, 'done'>;

const checks = {
  session: { code: 'session', severity: 'blocking' },
  futureSession: { code: 'future_session', severity: 'warning' },
  items: { code: 'items', severity: 'warning' },
  prices: { code: 'prices', severity: 'warning' },
  salesPeriods: { code: 'sales_periods', severity: 'warning' },
  saleEnabled: { code: 'sale_enabled', severity: 'warning' },
  description: { code: 'description', severity: 'hint' },
  poster: { code: 'poster', severity: 'hint' },
  venue: { code: 'venue', severity: 'hint' },
  payout: { code: 'payout', severity: 'hint' },
} as const satisfies Record<string, Check>;

/** What an event still needs. Only `blocking` entries keep it from being published. */
export async function getChecklist(tx: Tx, { at }: Act, eventId: number): Promise<{ data: ChecklistEntry[] }> {
  const event = await readEventFacts(tx, eventId);
  const sold = (await selectLiveItems(tx, [eventId])).filter(({ type }) => type !== 'group');
  const done: Record<keyof typeof checks, boolean> = {
    session: event.finishes_at !== null,
    futureSession: event.finishes_at !== null && event.finishes_at > at,
    items: sold.length > 0,
    prices: sold.length > 0 && sold.every(({ values }) => values !== null),
    salesPeriods: sold.length > 0 && sold.every((item) => periodOf(item, webShop) !== undefined),
    saleEnabled: event.sale_enabled,
    description: event.has_description,
    poster: event.has_poster,
    venue: event.has_venue,
    payout: event.has_payout,
  };
  const names = Object.keys(checks) as (keyof typeof checks)[];
  return { data: names.map((name) => ({ ...checks[name], done: done[name] })) };
}
