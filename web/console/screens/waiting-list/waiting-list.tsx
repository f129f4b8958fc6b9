import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { WaitingListMessages } from '../../../messages/console/waiting-list.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import * as icons from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData, usePages } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckboxField, NumberField } from '../../parts/fields.tsx';
import { Figures } from '../../parts/figures.tsx';
import { SearchFilter, SelectFilter } from '../../parts/filters.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { Table } from '../../parts/table.tsx';
import { EventForm } from '../settings/event-form.tsx';
import { useEntryColumns, useLineColumns } from './columns.tsx';

export type Entry = AnswerOf<'listWaitingList'>['data'][number];
export type Line = AnswerOf<'getWaitingListSummary'>['lines'][number];

const statuses = ['waiting', 'offered', 'bought', 'lapsed', 'left', 'removed', 'unconfirmed'] as const;
const idIn = (text: string | null): number | undefined => (/^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : undefined);

/** Who waits for sold-out tickets, and what became of the offers. */
export function WaitingList({ query }: ScreenProps) {
  const { client } = useConsole();
  const { event, can } = useEvent();
  const t = useMessages<WaitingListMessages>();
  const [isOpen, setOpen] = useState(false);
  const term = query.get('term') ?? '';
  const status = statuses.find((candidate) => candidate === query.get('status'));
  const itemId = idIn(query.get('itemId'));
  const summary = useData((signal) => client.waitingList.summary({ id: event.id }, { signal }), [event.id]);
  const filters = { ...(term && { term }), ...(status && { status }), ...(itemId && { itemId }) };
  const entries = usePages(
    (cursor, signal) =>
      client.waitingList.list({ id: event.id, pageSize: 50, ...filters, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [event.id, JSON.stringify(filters)],
  );
  const reload = async () => void (await Promise.all([summary.reload(), entries.reload()]));
  const columns = useEntryColumns(reload);
  const lines = summary.data?.lines ?? [];
  const items = [...new Map(lines.map((line) => [line.itemId, line.itemName]))];
  return (
    <>
      <PageHead title={t.title} about={t.about}>
        {can('event.manage') && (
          <button type="button" class="button secondary" onClick={() => setOpen(true)}>
            {t.settings.open}
          </button>
        )}
      </PageHead>
      {!event.waitingList && (
        <Notice tone="plain" title={t.off.title}>
          <p>{t.off.text}</p>
        </Notice>
      )}
      <Numbers total={summary.data?.total} />
      {lines.length > 0 && <Lines lines={lines} />}
      <div class="filters">
        <SearchFilter label={t.search} />
        <SelectFilter
          name="status"
          label={t.columns.status}
          options={[{ value: '', label: t.any.status }, ...statuses.map((value) => ({ value, label: t.status[value] }))]}
        />
        <SelectFilter
          name="itemId"
          label={t.columns.item}
          options={[{ value: '', label: t.any.item }, ...items.map(([id, label]) => ({ value: String(id), label }))]}
        />
      </div>
      <Show of={entries}>
        {(rows) =>
          rows.length === 0 ? (
            <NoEntries isFiltered={Object.keys(filters).length > 0} />
          ) : (
            <Table name="waiting-list" caption={t.title} columns={columns} rows={rows} rowKey={({ id }) => id} more={entries.more} />
          )
        }
      </Show>
      {isOpen && <SettingsDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function Numbers({ total }: { total: AnswerOf<'getWaitingListSummary'>['total'] | undefined }) {
  const { locale } = useConsole();
  const t = useMessages<WaitingListMessages>();
  const number = (value: number | undefined) => (value === undefined ? '–' : new Intl.NumberFormat(locale).format(value));
  const tickets = (value: number | undefined) => plural(locale, t.tickets, value ?? 0);
  return (
    <Figures
      label={t.title}
      of={[
        { label: t.numbers.waiting, value: number(total?.waiting), note: tickets(total?.waitingTickets) },
        { label: t.numbers.offered, value: number(total?.offered), note: tickets(total?.offeredTickets) },
        { label: t.numbers.bought, value: number(total?.bought), note: tickets(total?.boughtTickets) },
        { label: t.numbers.lapsed, value: number(total?.lapsed) },
      ]}
    />
  );
}

/** The numbers of each item and session. */
function Lines({ lines }: { lines: readonly Line[] }) {
  const t = useMessages<WaitingListMessages>();
  const columns = useLineColumns();
  return (
    <section class="stack">
      <h2>{t.lines}</h2>
      <Table name="waiting-lines" caption={t.lines} columns={columns} rows={lines} rowKey={(line) => `${line.itemId} ${line.sessionId}`} />
    </section>
  );
}

function SettingsDialog({ onClose }: { onClose: () => void }) {
  const t = useMessages<WaitingListMessages>();
  return (
    <Dialog title={t.settings.title} onClose={onClose}>
      <EventForm name="waiting-list" valuesOf={({ waitingList, waitingListHours }) => ({ waitingList, waitingListHours })} onDone={onClose}>
        <CheckboxField name="waitingList" label={t.settings.on} hint={t.settings.onHint} />
        <NumberField name="waitingListHours" label={t.settings.hours} hint={t.settings.hoursHint} min={1} max={168} required />
      </EventForm>
    </Dialog>
  );
}

function NoEntries({ isFiltered }: { isFiltered: boolean }) {
  const { event } = useEvent();
  const t = useMessages<WaitingListMessages>();
  if (!isFiltered)
    return <EmptyState icon={icons.clock} title={t.none.title} text={fill(t.none.text, { hours: event.waitingListHours })} />;
  const all = { href: to(`/events/${event.id}/waiting-list`), label: t.nothing.clear };
  return <EmptyState icon={icons.search} title={t.nothing.title} text={t.nothing.text} action={all} />;
}
