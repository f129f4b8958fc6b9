import type { GuestsMessages } from '../../../messages/console/guests.en.ts';
import { fill } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { instant } from '../../../ui/format.ts';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData, usePages } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { Figures } from '../../parts/figures.tsx';
import { SearchFilter, SelectFilter } from '../../parts/filters.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';

const statuses = ['checked', 'unchecked'] as const;
const channels = ['online', 'offline'] as const;
const idIn = (text: string | null): number | undefined => (/^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : undefined);

/** Everybody with a valid ticket, and who is here. */
export function GuestList({ query }: ScreenProps) {
  const { client, locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<GuestsMessages>();
  const term = query.get('term') ?? '';
  const status = statuses.find((candidate) => candidate === query.get('status'));
  const channel = channels.find((candidate) => candidate === query.get('channel'));
  const [itemId, sessionId] = [idIn(query.get('itemId')), idIn(query.get('sessionId'))];
  const filters = {
    ...(term && { term }),
    ...(status && { status }),
    ...(channel && { channel }),
    ...(itemId && { itemId }),
    ...(sessionId && { sessionId }),
  };
  const report = useData(
    (signal) => client.reports.entry({ eventId: event.id, ...(sessionId && { sessionId }) }, { signal }),
    [event.id, sessionId],
  );
  const guests = usePages(
    (cursor, signal) =>
      client.reports.guests({ eventId: event.id, pageSize: 50, ...filters, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [event.id, JSON.stringify(filters)],
  );
  const number = (value: number) => new Intl.NumberFormat(locale).format(value);
  const totals = report.data?.totals;
  const columns = useColumns();
  return (
    <>
      <PageHead title={t.title} />
      <Figures
        label={t.title}
        of={(['tickets', 'checked', 'inside', 'unchecked'] as const).map((key) => ({
          label: t.numbers[key],
          value: totals ? number(totals[key]) : '–',
        }))}
      />
      <div class="filters">
        <SearchFilter label={t.search} />
        <SelectFilter
          name="status"
          label={t.columns.status}
          options={choices(
            t.any.status,
            statuses.map((value) => [value, t.status[value]]),
          )}
        />
        <SelectFilter
          name="itemId"
          label={t.columns.item}
          options={choices(
            t.any.item,
            (report.data?.stats ?? []).map(({ id, name }) => [String(id), name]),
          )}
        />
        {event.sessions.length > 1 && (
          <SelectFilter
            name="sessionId"
            label={t.columns.session}
            options={choices(
              t.any.session,
              event.sessions.map(({ id, name }) => [String(id), name]),
            )}
          />
        )}
        <SelectFilter
          name="channel"
          label={t.columns.channel}
          options={choices(
            t.any.channel,
            channels.map((value) => [value, t.channel[value]]),
          )}
        />
      </div>
      <Show of={guests}>
        {(rows) =>
          rows.length === 0 ? (
            <NoGuests isFiltered={Object.keys(filters).length > 0} />
          ) : (
            <Table
              name="guests"
              caption={t.title}
              columns={columns}
              rows={rows}
              rowKey={({ ticketId, codeId }) => (ticketId === null ? `code ${codeId}` : ticketId)}
              more={guests.more}
            />
          )
        }
      </Show>
    </>
  );
}

const choices = (any: string, values: readonly (readonly [string, string])[]) => [
  { value: '', label: any },
  ...values.map(([value, label]) => ({ value, label })),
];

type GuestPage = Awaited<ReturnType<ReturnType<typeof useConsole>['client']['reports']['guests']>>;
type Guest = GuestPage['data'][number];

function useColumns(): Column<Guest>[] {
  const { event, can } = useEvent();
  const t = useMessages<GuestsMessages>();
  const sessionNames = (ids: readonly number[]) => event.sessions.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  const order: Column<Guest> = {
    key: 'order',
    label: t.columns.order,
    optional: true,
    cell: ({ orderId }) => (orderId === null ? '–' : <a href={to(`/events/${event.id}/orders/${orderId}`)}>{orderId}</a>),
  };
  return [
    { key: 'name', label: t.columns.name, cell: (guest) => <Name guest={guest} /> },
    { key: 'status', label: t.columns.status, cell: (guest) => <Entry guest={guest} /> },
    { key: 'item', label: t.columns.item, cell: ({ item }) => item },
    { key: 'number', label: t.columns.number, optional: 'hidden', cell: ({ ticketId, codeId }) => ticketId ?? codeId },
    ...(event.sessions.length > 1
      ? [
          {
            key: 'session',
            label: t.columns.session,
            optional: true as const,
            cell: ({ sessionIds }: Guest) => sessionNames(sessionIds).join(', '),
          },
        ]
      : []),
    { key: 'channel', label: t.columns.channel, optional: 'hidden', cell: ({ channel }) => t.channel[channel] },
    ...(can('order.read') ? [order] : []),
  ];
}

function Name({ guest: { name, email } }: { guest: Guest }) {
  const t = useMessages<GuestsMessages>();
  return (
    <span class="two-lines">
      <b>{name ?? t.noName}</b>
      {email && <span class="soft small">{email}</span>}
    </span>
  );
}

function Entry({ guest: { status, checkedAt, gate } }: { guest: Guest }) {
  const { locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<GuestsMessages>();
  const time = checkedAt && instant(checkedAt, 'shortMoment', locale, event.timezone);
  return (
    <span class="pills">
      <span class={`pill ${status === 'checked' ? 'ok' : ''}`}>{t.status[status]}</span>
      {time && <span class="soft small">{gate ? fill(t.at, { time, gate }) : time}</span>}
    </span>
  );
}

function NoGuests({ isFiltered }: { isFiltered: boolean }) {
  const { event } = useEvent();
  const t = useMessages<GuestsMessages>();
  if (!isFiltered) return <EmptyState icon={icons.people} title={t.none.title} text={t.none.text} />;
  const all = { href: to(`/events/${event.id}/guests`), label: t.nothing.clear };
  return <EmptyState icon={icons.search} title={t.nothing.title} text={t.nothing.text} action={all} />;
}
