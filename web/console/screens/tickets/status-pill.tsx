import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { fill } from '../../../messages/fill.ts';
import { date } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { type Item, periodOf, webShop } from '../../parts/item.ts';

const tones = { available: 'ok', notstarted: 'brand', soldout: 'warn', finished: '', unavailable: '' } as const;

/** Whether the web shop sells the item now, and why not. */
export function StatusPill({ item }: { item: Item }) {
  const { locale } = useConsole();
  const t = useMessages<TicketsMessages>();
  const { event } = useEvent();
  const start = periodOf(item, webShop)?.start;
  const reason = reasonOf(item, event.status === 'draft');
  if (reason) return <span class={`pill ${reason === 'noPrice' || reason === 'noPeriod' ? 'bad' : ''}`}>{t.reason[reason]}</span>;
  const text = item.status === 'notstarted' && start ? fill(t.startsOn, { date: date(start, 'shortDay', locale) }) : t.status[item.status];
  return <span class={`pill ${tones[item.status]}`}>{text}</span>;
}

/** What the producer has to do before the item can be sold. Null if nothing is missing. */
function reasonOf(item: Item, isDraft: boolean): keyof TicketsMessages['reason'] | null {
  if (item.status !== 'unavailable') return null;
  if (item.type === 'external') return 'external';
  if (item.type !== 'group' && !item.values) return 'noPrice';
  if (item.type !== 'group' && !periodOf(item, webShop)) return 'noPeriod';
  if (!item.salable) return item.sold + item.held > 0 ? 'closed' : 'notOpen';
  return isDraft ? 'draft' : null;
}
