import type { OverviewMessages } from '../../../messages/console/overview.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { date, money } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { Chart, currentStart, withoutGaps } from '../../parts/chart.tsx';
import { saveCsv } from '../../parts/save-csv.ts';
import { Table } from '../../parts/table.tsx';
import type { Dashboard } from './overview.tsx';

const days = { hour: 7, day: 90 };

/** The sales by hour or day: a chart, the same as a table, and as a file. */
export function SalesChart({ dashboard, by }: { dashboard: Dashboard; by: 'hour' | 'day' }) {
  const { locale } = useConsole();
  const t = useMessages<OverviewMessages>();
  const { buckets } = dashboard.sales;
  const views = [
    { name: 'hour', label: t.sales.byHour, href: to(`/events/${dashboard.eventId}`) },
    { name: 'day', label: t.sales.byDay, href: to(`/events/${dashboard.eventId}`, { by: 'day' }) },
  ];
  return (
    <section class="panel overview-sales">
      <header class="overview-sales-head">
        <h2>{t.sales.title}</h2>
        <nav class="overview-views" aria-label={t.sales.title}>
          {views.map(({ name, label, href }) => (
            <a key={name} class="chip" href={href} {...(name === by && { 'aria-current': 'true' as const })}>
              {label}
            </a>
          ))}
        </nav>
      </header>
      {buckets.length === 0 ? (
        <p class="soft">{fill(t.sales.none, { days: new Intl.NumberFormat(locale).format(days[by]) })}</p>
      ) : (
        <Buckets dashboard={dashboard} by={by} />
      )}
    </section>
  );
}

function Buckets({ dashboard: { sales, currency, timezone, eventId }, by }: { dashboard: Dashboard; by: 'hour' | 'day' }) {
  const { locale } = useConsole();
  const t = useMessages<OverviewMessages>();
  const timeOf = (start: string) => date(start, by === 'hour' ? 'moment' : 'day', locale);
  const amounts = new Map(sales.buckets.map(({ start, paid }) => [start, paid]));
  const points = withoutGaps(
    sales.buckets.map(({ start, tickets }) => ({ start, value: tickets })),
    by,
    currentStart(by, timezone),
  );
  const download = () =>
    saveCsv(`${t.sales.file}-${eventId}.csv`, [
      [t.sales.time, t.sales.tickets, `${t.sales.paid} (${currency})`],
      ...sales.buckets.map(({ start, tickets, paid }) => [start, tickets, (paid / 100).toFixed(2)]),
    ]);
  return (
    <>
      <Chart
        points={points}
        by={by}
        describe={({ start, value }) =>
          plural(locale, t.sales.point, value, { time: timeOf(start), amount: money(amounts.get(start) ?? 0, currency, locale) })
        }
      />
      <div class="overview-sales-tools">
        <p class="small soft">{t.sales.note}</p>
        <button type="button" class="button plain" onClick={download}>
          <Icon path={icons.share} size={18} />
          {t.sales.download}
        </button>
      </div>
      <details class="overview-table">
        <summary>{t.sales.table}</summary>
        <Table
          name="sales"
          caption={t.sales.title}
          columns={[
            { key: 'time', label: t.sales.time, cell: ({ start }) => timeOf(start) },
            { key: 'tickets', label: t.sales.tickets, align: 'end', cell: ({ tickets }) => new Intl.NumberFormat(locale).format(tickets) },
            { key: 'paid', label: t.sales.paid, align: 'end', cell: ({ paid }) => money(paid, currency, locale) },
          ]}
          rows={sales.buckets.toReversed()}
          rowKey={({ start }) => start}
        />
      </details>
    </>
  );
}
