import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import type { Item } from '../../parts/item.ts';
import { channelName } from './channel-name.ts';

/** A bar with sold, held and left tickets, and the numbers. */
export function Sales({ item: { sold, held, quantity, remaining, salesPeriods } }: { item: Item }) {
  const { locale } = useConsole();
  const t = useMessages<TicketsMessages>();
  const format = (count: number) => new Intl.NumberFormat(locale).format(count);
  const left = quantity === null ? remaining : Math.max(0, quantity - sold - held);
  const whole = quantity ?? sold + held + (remaining ?? 0);
  const percent = (count: number) => `${whole === 0 ? 0 : Math.min(100, (count / whole) * 100)}%`;
  const parts = [fill(t.sold, { count: format(sold) }), held > 0 && fill(t.held, { count: format(held) })];
  const rest = left === null ? t.noLimit : fill(t.left, { count: format(left) });
  // A channel may have fewer tickets than the item, for example the box office.
  const limited = salesPeriods
    .map(({ appCategoryId, available, sold: taken, held: kept }) => ({ appCategoryId, rest: Math.max(0, available - taken - kept) }))
    .filter(({ rest }) => left === null || rest < left);
  return (
    <span class="tickets-sales">
      <span class="tickets-bar" aria-hidden="true">
        <i style={{ width: percent(sold) }} />
        <i class="held" style={{ width: percent(held) }} />
      </span>
      <span class="small">{[...parts, rest].filter(Boolean).join(' · ')}</span>
      {limited.map((channel) => (
        <span key={channel.appCategoryId} class="soft small">
          {fill(t.leftFor, { channel: channelName(t, channel.appCategoryId), count: format(channel.rest) })}
        </span>
      ))}
    </span>
  );
}
