import type { DoorMessages } from '../../../messages/console/door.en.ts';
import { fill } from '../../../messages/fill.ts';
import { instant } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { Figures, ShareBar } from '../../parts/figures.tsx';
import { SelectFilter } from '../../parts/filters.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { useRepeat } from '../../parts/use-repeat.ts';
import { Devices } from './devices.tsx';
import { DoorTabs } from './door-tabs.tsx';
import './door.css';

const recentMinutes = 5;

/** How the entrance is going, live, and the devices that scan. */
export function Door({ query }: ScreenProps) {
  const { client, locale } = useConsole();
  const { event, can } = useEvent();
  const t = useMessages<DoorMessages>();
  const session = event.sessions.find(({ id }) => String(id) === query.get('sessionId'));
  const counters = useData(
    (signal) => client.door.counters({ eventId: event.id, ...(session && { sessionId: session.id }) }, { signal }),
    [event.id, session?.id],
  );
  useRepeat(counters.reload);
  const number = (value: number) => new Intl.NumberFormat(locale).format(value);
  return (
    <>
      <PageHead title={t.title}>
        <a class="button" href="/door/" target="_blank" rel="noreferrer">
          <Icon path={icons.external} size={18} />
          {t.openApp}
        </a>
      </PageHead>
      <DoorTabs />
      {event.sessions.length > 1 && (
        <div class="filters">
          <SelectFilter
            name="sessionId"
            label={t.session}
            options={[{ value: '', label: t.anySession }, ...event.sessions.map(({ id, name }) => ({ value: String(id), label: name }))]}
          />
        </div>
      )}
      <Show of={{ ...counters, loading: counters.loading && !counters.data }}>
        {({ expected, admitted, inside, minutes, gates, now }) => (
          <>
            <Figures
              label={t.title}
              of={[
                { label: t.numbers.expected, value: number(expected) },
                { label: t.numbers.admitted, value: number(admitted) },
                { label: t.numbers.inside, value: number(inside) },
                { label: t.numbers.recent, value: number(minutes.slice(-recentMinutes).reduce((sum, minute) => sum + minute.admitted, 0)) },
              ]}
            />
            <p class="soft small">{fill(t.live, { time: instant(now, 'time', locale, event.timezone) })}</p>
            <Gates gates={gates} />
          </>
        )}
      </Show>
      {can('device.manage') && <Devices />}
    </>
  );
}

function Gates({ gates }: { gates: readonly { gate: string; admitted: number }[] }) {
  const { locale } = useConsole();
  const t = useMessages<DoorMessages>();
  const most = Math.max(1, ...gates.map(({ admitted }) => admitted));
  return (
    <section class="panel">
      <h2>{t.gates.title}</h2>
      {gates.length === 0 && <p class="soft">{t.gates.none}</p>}
      <ul class="door-gates">
        {gates.map(({ gate, admitted }) => (
          <li key={gate}>
            <span>{gate}</span>
            <ShareBar
              shares={[
                { kind: 'main', value: admitted },
                { kind: 'rest', value: most - admitted },
              ]}
            />
            <b>{new Intl.NumberFormat(locale).format(admitted)}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}
