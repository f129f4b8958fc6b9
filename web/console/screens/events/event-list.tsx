import type { EventsMessages } from '../../../messages/console/events.en.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { dayRange } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { usePages } from '../../app/use-data.ts';
import { SearchFilter, SelectFilter } from '../../parts/filters.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { localNow } from '../../parts/wall-clock.ts';

const statuses = ['draft', 'published', 'private', 'cancelled'] as const;

/** All events that the user works at. */
export function EventList({ query }: ScreenProps) {
  const { client, t: frame, locale, can } = useConsole();
  const t = useMessages<EventsMessages>();
  const term = query.get('term') ?? '';
  const status = statuses.find((candidate) => candidate === query.get('status'));
  const events = usePages(
    (cursor, signal) =>
      client.events.list(
        {
          pageSize: 25,
          fields: ['id', 'title', 'status', 'start', 'finish', 'timezone', 'producer', 'venue'],
          ...(term && { term }),
          ...(status && { status }),
          ...(cursor && { cursor }),
        },
        { ...(signal && { signal }) },
      ),
    [term, status],
  );
  type Row = NonNullable<typeof events.data>[number];
  const columns: Column<Row>[] = [
    { key: 'title', label: t.event, cell: ({ title }) => title },
    {
      key: 'status',
      label: t.status,
      cell: (row) =>
        isOver(row) ? <span class="pill">{t.ended}</span> : <span class={`pill ${row.status}`}>{frame.status[row.status]}</span>,
    },
    { key: 'date', label: t.date, cell: ({ start, finish }) => (start && finish ? dayRange(start, finish, locale) : t.noDate) },
    { key: 'venue', label: t.venue, cell: ({ venue }) => venue?.name ?? '–', optional: true },
    { key: 'producer', label: t.producer, cell: ({ producer }) => producer.name, optional: true },
  ];
  const isFiltered = term !== '' || status !== undefined;
  return (
    <>
      <PageHead title={t.title}>
        {can('event.manage') && (
          <a class="button" href={to('/events/new')}>
            <Icon path={icons.plus} />
            {t.create}
          </a>
        )}
      </PageHead>
      <div class="filters">
        <SearchFilter label={t.search} />
        <SelectFilter
          name="status"
          label={t.status}
          options={[{ value: '', label: t.anyStatus }, ...statuses.map((value) => ({ value, label: frame.status[value] }))]}
        />
      </div>
      <Show of={events}>
        {(rows) =>
          rows.length === 0 ? (
            <NoEvents isFiltered={isFiltered} />
          ) : (
            <Table
              name="events"
              caption={t.title}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              href={({ id }) => to(`/events/${id}`)}
              more={events.more}
            />
          )
        }
      </Show>
    </>
  );
}

/** A cancelled event stays cancelled, and a draft stays a draft. */
const isOver = ({ status, finish, timezone }: { status: string; finish: string | null; timezone: string }): boolean =>
  (status === 'published' || status === 'private') && finish !== null && finish < localNow(timezone);

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  const { can } = useConsole();
  const t = useMessages<EventsMessages>();
  if (isFiltered)
    return (
      <EmptyState icon={icons.search} title={t.nothing.title} text={t.nothing.text} action={{ href: to('/'), label: t.nothing.clear }} />
    );
  if (!can('event.manage')) return <EmptyState icon={icons.calendar} title={t.noneForCrew.title} text={t.noneForCrew.text} />;
  return <EmptyState icon={icons.calendar} title={t.none.title} text={t.none.text} action={{ href: to('/events/new'), label: t.create }} />;
}
