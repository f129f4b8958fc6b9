import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { ReportsMessages } from '../../../messages/console/reports.en.ts';
import { fill } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { usePages } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Progress } from '../../parts/progress.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useRepeat } from '../../parts/use-repeat.ts';
import { NewExport } from './new-export.tsx';
import './reports.css';

export type ExportData = AnswerOf<'getExport'>;

const pollMs = 1_500;
const isOpen = ({ status }: ExportData): boolean => status === 'queued' || status === 'running';

/** The files that were requested. Unfinished ones are read again until they are ready. */
export function Exports(_props: ScreenProps) {
  const { client } = useConsole();
  const t = useMessages<ReportsMessages>();
  const { event } = useEvent();
  const [isAsking, setAsking] = useState(false);
  const exports = usePages(
    (cursor, signal) => client.exports.list({ eventId: event.id, pageSize: 25, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [event.id],
  );
  const replace = (changed: ExportData) => exports.change((rows) => rows.map((row) => (row.id === changed.id ? changed : row)));
  useRepeat(async () => {
    for (const { id } of exports.data?.filter(isOpen) ?? []) {
      const changed = await client.exports.get({ id }).catch(() => null);
      if (changed) replace(changed);
    }
  }, pollMs);
  return (
    <>
      <PageHead title={t.exports.title} about={t.exports.text}>
        <button type="button" class="button" onClick={() => setAsking(true)}>
          <Icon path={icons.plus} />
          {t.exports.request}
        </button>
      </PageHead>
      {isAsking && (
        <NewExport
          onClose={() => setAsking(false)}
          onDone={(created) => exports.change((rows) => [created, ...rows.filter(({ id }) => id !== created.id)])}
        />
      )}
      <Show of={exports}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={icons.share} title={t.exports.none.title} text={t.exports.none.text} />
          ) : (
            <ExportTable rows={rows} more={exports.more} onChange={replace} />
          )
        }
      </Show>
    </>
  );
}

interface ExportTableProps {
  rows: ExportData[];
  more: (() => Promise<void>) | null;
  onChange: (changed: ExportData) => void;
}

function ExportTable({ rows, more, onChange }: ExportTableProps) {
  const { locale } = useConsole();
  const { exports: t } = useMessages<ReportsMessages>();
  const count = new Intl.NumberFormat(locale);
  const tones: Partial<Record<ExportData['status'], string>> = { ready: 'ok', failed: 'bad', running: 'brand' };
  const columns: Column<ExportData>[] = [
    { key: 'type', label: t.type, cell: ({ type, format }) => `${t.types[type]} · ${format.toUpperCase()}` },
    {
      key: 'status',
      label: t.status,
      cell: (row) =>
        row.status === 'running' && row.total ? (
          <Progress
            label={fill(t.progress, { rows: count.format(row.rows), total: count.format(row.total) })}
            value={row.rows}
            of={row.total}
          />
        ) : (
          <span class={`pill ${tones[row.status] ?? ''}`}>{t.statuses[row.status]}</span>
        ),
    },
    { key: 'rows', label: t.rows, align: 'end', cell: ({ rows: written }) => count.format(written), optional: true },
    { key: 'size', label: t.size, align: 'end', cell: ({ bytes }) => (bytes === null ? '–' : sizeText(bytes, locale)), optional: true },
    {
      key: 'created',
      label: t.created,
      cell: ({ createdAt }) => new Date(createdAt).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }),
    },
    { key: 'actions', label: t.actions, cell: (row) => <ExportActions row={row} onChange={onChange} /> },
  ];
  return <Table name="exports" caption={t.title} columns={columns} rows={rows} rowKey={({ id }) => id} more={more} />;
}

function sizeText(bytes: number, locale: string): string {
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kilobyte'] : [bytes / 1_000_000, 'megabyte'];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value);
}

function ExportActions({ row, onChange }: { row: ExportData; onChange: (changed: ExportData) => void }) {
  const { client, t: frame, me } = useConsole();
  const { exports: t } = useMessages<ReportsMessages>();
  const { can } = useEvent();
  const toast = useToast();
  if (row.link !== null) {
    return (
      <a class="button secondary" href={row.link} download>
        {t.download}
      </a>
    );
  }
  if (row.status === 'ready') return <span class="small soft">{t.otherUser}</span>;
  if (!isOpen(row) || (row.userId !== me?.id && !can('event.manage'))) return <>{row.reason ?? ''}</>;
  const stop = async () => {
    try {
      onChange(await client.exports.cancel({ id: row.id }));
      toast(t.cancelled);
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  return (
    <button type="button" class="button plain" onClick={() => void stop()}>
      {t.cancel}
    </button>
  );
}
