import type { ReportsMessages } from '../../../messages/console/reports.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { date } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { useLive } from '../../app/use-live.ts';
import { Chart, withoutGaps } from '../../parts/chart.tsx';
import { Figures, ShareBar } from '../../parts/figures.tsx';
import { saveCsv } from '../../parts/save-csv.ts';
import { Show } from '../../parts/show.tsx';
import { Table } from '../../parts/table.tsx';
import { ReportHead, useSession } from './report-head.tsx';

/** Who has entered, live. */
export function EntryReport({ query }: ScreenProps) {
  const { client } = useConsole();
  const { event } = useEvent();
  const session = useSession(query);
  const report = useLive((options) => client.reports.entry({ eventId: event.id, ...session }, options), [event.id, session.sessionId]);
  return (
    <>
      <ReportHead current="entry" />
      <Show of={report}>
        {(data) => (
          <>
            <Totals report={data} isSum={event.sessions.length > 1 && session.sessionId === undefined} />
            <Hours report={data} />
            <Items report={data} />
          </>
        )}
      </Show>
    </>
  );
}

interface Report {
  eventId: number;
  totals: { tickets: number; checked: number; unchecked: number; percent: number; inside: number };
  stats: { id: number; name: string; checkedTickets: number; uncheckedTickets: number; external: boolean }[];
  perHour: { hour: string; checked: number }[];
  unsynced: number;
}

function Totals({ report: { totals, unsynced }, isSum }: { report: Report; isSum: boolean }) {
  const { locale } = useConsole();
  const t = useMessages<ReportsMessages>();
  const count = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(totals.percent / 100);
  return (
    <>
      {unsynced > 0 && <Notice tone="warn" title={plural(locale, t.entry.unsynced, unsynced)} />}
      <Figures
        of={[
          { label: t.entry.entered, value: count.format(totals.checked), note: fill(t.entry.percent, { percent }) },
          { label: t.entry.missing, value: count.format(totals.unchecked) },
          { label: t.entry.inside, value: count.format(totals.inside), note: isSum ? t.entry.insideSum : undefined },
          { label: t.entry.guests, value: count.format(totals.tickets) },
        ]}
      />
    </>
  );
}

function Hours({ report: { perHour, eventId } }: { report: Report }) {
  const { locale } = useConsole();
  const t = useMessages<ReportsMessages>();
  const last = perHour.at(-1);
  const timeOf = (hour: string) => date(hour, 'moment', locale);
  const points = perHour.map(({ hour, checked }) => ({ start: hour, value: checked }));
  // How many had come by the end of each hour.
  const rows = perHour.map(({ hour, checked }, index) => ({
    hour,
    checked,
    soFar: perHour.slice(0, index + 1).reduce((sum, before) => sum + before.checked, 0),
  }));
  const number = new Intl.NumberFormat(locale);
  return (
    <section class="panel reports-hours">
      <h2>{t.entry.perHour}</h2>
      {!last ? (
        <p class="soft">{t.entry.noEntries}</p>
      ) : (
        <>
          <Chart
            points={withoutGaps(points, 'hour', last.hour, 8)}
            by="hour"
            describe={({ start, value }) => plural(locale, t.entry.point, value, { time: timeOf(start) })}
          />
          <button
            type="button"
            class="button plain"
            onClick={() =>
              saveCsv(`${t.entry.file}-${eventId}.csv`, [
                [t.entry.hour, t.entry.entries, t.entry.soFar],
                ...rows.map(({ hour, checked, soFar }) => [hour, checked, soFar]),
              ])
            }
          >
            <Icon path={icons.share} size={18} />
            {t.csv}
          </button>
          <details class="reports-table">
            <summary>{t.table}</summary>
            <Table
              name="entries"
              caption={t.entry.perHour}
              columns={[
                { key: 'hour', label: t.entry.hour, cell: ({ hour }) => timeOf(hour) },
                { key: 'entries', label: t.entry.entries, align: 'end', cell: ({ checked }) => number.format(checked) },
                { key: 'soFar', label: t.entry.soFar, align: 'end', cell: ({ soFar }) => number.format(soFar) },
              ]}
              rows={rows.toReversed()}
              rowKey={({ hour }) => hour}
            />
          </details>
        </>
      )}
    </section>
  );
}

function Items({ report: { stats } }: { report: Report }) {
  const { locale } = useConsole();
  const t = useMessages<ReportsMessages>();
  const count = new Intl.NumberFormat(locale);
  return (
    <section class="panel">
      <h2>{t.entry.items}</h2>
      {stats.length === 0 && <p class="soft">{t.entry.none}</p>}
      <ul class="reports-items">
        {stats.map(({ id, name, checkedTickets, uncheckedTickets, external }) => (
          <li key={id}>
            <p class="reports-item">
              <strong>
                {name} {external && <span class="pill">{t.entry.external}</span>}
              </strong>
              <span>
                {fill(t.entry.of, { checked: count.format(checkedTickets), tickets: count.format(checkedTickets + uncheckedTickets) })}
              </span>
            </p>
            <ShareBar
              shares={[
                { kind: 'main', value: checkedTickets },
                { kind: 'rest', value: uncheckedTickets },
              ]}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
