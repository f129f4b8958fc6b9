import type { AnswerOf } from '../../../../client/src/index.ts';
import type { DoorMessages } from '../../../messages/console/door.en.ts';
import { fill } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { instant } from '../../../ui/format.ts';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData, usePages } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { SelectFilter } from '../../parts/filters.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { DoorTabs } from './door-tabs.tsx';

type Scan = AnswerOf<'listCheckins'>['data'][number];

const lateMs = 2 * 60_000;
const tones: Record<Scan['state'], string> = {
  inside: 'ok',
  reentered: 'ok',
  exited: 'brand',
  double: 'bad',
  unmatched: 'warn',
  undone: '',
  refused: 'warn',
};

/** The log of all scans. */
export function ScanList({ query }: ScreenProps) {
  const { client } = useConsole();
  const { event } = useEvent();
  const t = useMessages<DoorMessages>();
  const double = { yes: true, no: false }[query.get('double') ?? ''];
  const scans = usePages(
    (cursor, signal) =>
      client.door.list(
        { eventId: event.id, pageSize: 50, ...(double !== undefined && { double }), ...(cursor && { cursor }) },
        { ...(signal && { signal }) },
      ),
    [event.id, double],
  );
  const columns = useColumns();
  return (
    <>
      <PageHead title={t.scans.title} about={t.scans.about} />
      <DoorTabs />
      <div class="filters">
        <SelectFilter
          name="double"
          label={t.scans.double.label}
          options={[
            { value: '', label: t.scans.double.any },
            { value: 'yes', label: t.scans.double.yes },
            { value: 'no', label: t.scans.double.no },
          ]}
        />
      </div>
      <Show of={scans}>
        {(rows) =>
          rows.length === 0 ? (
            <NoScans isFiltered={double !== undefined} />
          ) : (
            <Table name="scans" caption={t.scans.title} columns={columns} rows={rows} rowKey={({ id }) => id} more={scans.more} />
          )
        }
      </Show>
    </>
  );
}

function useColumns(): Column<Scan>[] {
  const { client, locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<DoorMessages>();
  const items = useData((signal) => client.items.list({ eventId: event.id, archived: 'all', pageSize: 200 }, { signal }), [event.id]);
  const nameOf = (itemId: number | null) => items.data?.data.find(({ id }) => id === itemId)?.name ?? '–';
  const at = (text: string) => instant(text, 'shortMoment', locale, event.timezone);
  return [
    { key: 'ticket', label: t.scans.ticket, cell: (scan) => <TicketCell scan={scan} /> },
    {
      key: 'state',
      label: t.scans.state,
      cell: ({ state, result }) => (
        <span class="pills">
          <span class={`pill ${tones[state]}`}>{t.scans.states[state]}</span>
          {state === 'refused' && <span class="soft small">{t.scans.results[result]}</span>}
        </span>
      ),
    },
    { key: 'item', label: t.scans.item, optional: true, cell: ({ itemId }) => nameOf(itemId) },
    { key: 'gate', label: t.scans.gate, cell: ({ gate }) => gate ?? '–' },
    { key: 'device', label: t.scans.device, optional: true, cell: ({ device }) => device },
    {
      key: 'at',
      label: t.scans.at,
      cell: (scan) => (
        <span class="pills">
          {at(scan.at)}
          {Date.parse(scan.receivedAt) - Date.parse(scan.at) > lateMs && <span class="pill">{t.scans.late}</span>}
        </span>
      ),
    },
    { key: 'received', label: t.scans.received, optional: 'hidden', cell: ({ receivedAt }) => at(receivedAt) },
  ];
}

/** The guest list finds the holder by the number of the ticket. */
function TicketCell({ scan: { ticketId, codeId } }: { scan: Scan }) {
  const { event, can } = useEvent();
  const t = useMessages<DoorMessages>();
  if (ticketId === null) return <>{codeId === null ? t.scans.unknown : fill(t.scans.code, { id: codeId })}</>;
  return can('guest.read') ? <a href={to(`/events/${event.id}/guests`, { term: ticketId })}>{ticketId}</a> : <>{ticketId}</>;
}

function NoScans({ isFiltered }: { isFiltered: boolean }) {
  const { event } = useEvent();
  const t = useMessages<DoorMessages>();
  if (!isFiltered) return <EmptyState icon={icons.scan} title={t.scans.none.title} text={t.scans.none.text} />;
  const all = { href: to(`/events/${event.id}/door/scans`), label: t.scans.nothing.clear };
  return <EmptyState icon={icons.check} title={t.scans.nothing.title} text={t.scans.nothing.text} action={all} />;
}
