import type { AnswerOf } from '../../../../client/src/index.ts';
import type { OverviewMessages } from '../../../messages/console/overview.en.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { Show } from '../../parts/show.tsx';

type Entry = AnswerOf<'getChecklist'>['data'][number];

const tones: Record<Entry['severity'], string> = { blocking: 'bad', warning: 'warn', hint: '' };

/** Where each entry can be done. The steps of the set-up show only what is missing. */
const places: Record<Exclude<Entry['code'], 'payout'>, string> = {
  session: 'setup/date',
  future_session: 'setup/date',
  items: 'setup/tickets',
  prices: 'setup/prices',
  sales_periods: 'setup/prices',
  sale_enabled: 'settings/rules',
  description: 'settings/page',
  poster: 'settings/page',
  venue: 'settings',
};

/** What a draft still needs. Each entry leads to the screen where it can be done. */
export function Checklist() {
  const { client } = useConsole();
  const t = useMessages<OverviewMessages>();
  const { event, can } = useEvent();
  const checklist = useData(async (signal) => (await client.events.checklist({ id: event.id }, { signal })).data, [event.id]);
  const hrefOf = (code: Entry['code']) =>
    code === 'payout' ? to(`/producers/${event.producer.id}`) : to(`/events/${event.id}/${places[code]}`);
  return (
    <section class="panel">
      <h2>{t.checklist.title}</h2>
      <Show of={checklist}>
        {(entries) => (
          <ul class="overview-checklist">
            {entries.map(({ code, done, severity }) => (
              <li key={code} class={done ? 'done' : ''}>
                <span class="overview-check">{done && <Icon path={icons.check} size={16} />}</span>
                {done || !can('event.manage') ? (
                  <span>{t.checklist.entries[code]}</span>
                ) : (
                  <a href={hrefOf(code)}>{t.checklist.entries[code]}</a>
                )}
                {done ? (
                  <span class="visually-hidden">{t.checklist.done}</span>
                ) : (
                  <span class={`pill ${tones[severity]}`}>{t.checklist.severity[severity]}</span>
                )}
              </li>
            ))}
          </ul>
        )}
      </Show>
    </section>
  );
}
