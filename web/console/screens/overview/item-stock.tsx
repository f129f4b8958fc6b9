import type { OverviewMessages } from '../../../messages/console/overview.en.ts';
import { fill } from '../../../messages/fill.ts';
import { money } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useEvent } from '../../app/use-event.ts';
import { ShareBar } from '../../parts/figures.tsx';
import type { Dashboard } from './overview.tsx';

type Item = Dashboard['items'][number];

/** Each item with a bar of what is sold, held and left. Removed items are shown only if they were sold. */
export function ItemStock({ dashboard: { items, currency, eventId } }: { dashboard: Dashboard }) {
  const t = useMessages<OverviewMessages>();
  const { can } = useEvent();
  const shown = items.filter(({ archived, sold, courtesy, held }) => !archived || sold + courtesy + held > 0);
  return (
    <section class="panel">
      <h2>{t.items.title}</h2>
      {shown.length === 0 ? (
        <p class="soft">{t.items.none}</p>
      ) : (
        <ul class="overview-items">
          {shown.map((item) => (
            <StockRow key={item.itemId} item={item} currency={currency} />
          ))}
        </ul>
      )}
      {shown.length === 0 && can('item.manage') && (
        <a class="button secondary" href={to(`/events/${eventId}/tickets`)}>
          {t.items.add}
        </a>
      )}
    </section>
  );
}

function StockRow({ item, currency }: { item: Item; currency: string }) {
  const { locale } = useConsole();
  const t = useMessages<OverviewMessages>();
  const count = (n: number) => new Intl.NumberFormat(locale).format(n);
  const sold = item.sold + item.courtesy;
  const words = [
    fill(t.items.sold, { count: count(sold) }),
    ...(item.held > 0 ? [fill(t.items.held, { count: count(item.held) })] : []),
    item.archived ? t.items.archived : item.left === null ? t.items.unlimited : fill(t.items.left, { count: count(item.left) }),
  ];
  return (
    <li>
      <p class="overview-item-line">
        <strong>{item.name}</strong>
        <span class="overview-item-money">{money(item.gross, currency, locale)}</span>
      </p>
      <ShareBar
        shares={[
          { kind: 'main', value: sold },
          { kind: 'soft', value: item.held },
          { kind: 'rest', value: item.archived ? 0 : (item.left ?? 0) },
        ]}
      />
      <p class="small soft">{words.join(' · ')}</p>
    </li>
  );
}
