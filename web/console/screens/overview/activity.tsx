import { useState } from 'preact/hooks';
import type { OverviewMessages } from '../../../messages/console/overview.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useEvent } from '../../app/use-event.ts';
import type { Dashboard } from './overview.tsx';

const fewShown = 8;

type Entry = Dashboard['activity'][number];

/** The latest changes of the event, newest first. */
export function Activity({ entries }: { entries: readonly Entry[] }) {
  const t = useMessages<OverviewMessages>();
  const [all, setAll] = useState(false);
  const changes = entries.filter((entry, i) => !isSameChange(entry, entries[i - 1]));
  const shown = all ? changes : changes.slice(0, fewShown);
  return (
    <section class="panel">
      <h2>{t.activity.title}</h2>
      {changes.length === 0 && <p class="soft">{t.activity.none}</p>}
      <ol class="overview-activity">
        {shown.map((entry) => (
          <Change key={entry.id} entry={entry} />
        ))}
      </ol>
      {shown.length < changes.length && (
        <button type="button" class="button plain" onClick={() => setAll(true)}>
          {t.activity.all}
        </button>
      )}
    </section>
  );
}

/** One operation may change several objects at the same moment, for example when items are reordered. */
const isSameChange = ({ at, operation, subject }: Entry, previous: Entry | undefined): boolean =>
  subject !== 'order' && at === previous?.at && operation === previous.operation;

function Change({ entry: { at, operation, actor, subject, subjectId } }: { entry: Entry }) {
  const { locale } = useConsole();
  const t = useMessages<OverviewMessages>();
  const { event, can } = useEvent();
  const known: Partial<Record<string, string>> = t.activity.operations;
  const who = { anonymous: t.activity.buyer, device: t.activity.device, system: t.activity.system, user: actor.name ?? '' }[actor.kind];
  return (
    <li>
      <p>{known[operation] ?? t.activity.other}</p>
      <p class="small soft">
        <time dateTime={at}>{timeAgo(at, locale)}</time>
        {who && ` · ${who}`}
        {subject === 'order' && can('order.read') && (
          <>
            {' · '}
            <a href={to(`/events/${event.id}/orders/${subjectId}`)}>{fill(t.activity.order, { id: subjectId })}</a>
          </>
        )}
      </p>
    </li>
  );
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

function timeAgo(at: string, locale: string): string {
  const seconds = Math.max(0, (Date.now() - Date.parse(at)) / 1000);
  const [unit, length] = units.find(([, size]) => seconds >= size) ?? (['second', 1] as const);
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-Math.floor(seconds / length), unit);
}
