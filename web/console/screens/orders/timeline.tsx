import { useState } from 'preact/hooks';
import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { instant } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import type { Details } from './order-words.tsx';
import { type Entry, entryText, reasonOf, whoDid } from './timeline-words.ts';

/** What happened to the order, newest first. */
export function Timeline({ details: { order, timeline } }: { details: Details }) {
  const { client, locale, t: frame } = useConsole();
  const { event } = useEvent();
  const t = useMessages<OrdersMessages>();
  const [all, setAll] = useState<Entry[] | null>(null);
  const loadAll = async () => {
    const entries: Entry[] = [];
    for await (const entry of client.orders.timelineAll({ id: order.id })) entries.push(entry);
    setAll(entries);
  };
  const shown = (all ?? timeline.data).toReversed();
  return (
    <section class="panel">
      <h2>{t.timeline.title}</h2>
      <ol class="orders-timeline">
        {shown.map((entry) => (
          <li key={entry.id}>
            <p>{entryText(t, entry, locale)}</p>
            {reasonOf(entry) && <p class="small">“{reasonOf(entry)}”</p>}
            <p class="soft small">
              {whoDid(t, entry)} · {instant(entry.at, 'moment', locale, event.timezone)}
            </p>
          </li>
        ))}
      </ol>
      {timeline.nextCursor && !all && (
        <button type="button" class="button plain" onClick={() => void loadAll()}>
          {frame.table.more}
        </button>
      )}
    </section>
  );
}
