import type { ReportsMessages } from '../../../messages/console/reports.en.ts';
import { fill } from '../../../messages/fill.ts';
import { date, money } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { type Column, Table } from '../../parts/table.tsx';
import type { BorderoData } from './bordero.tsx';

type Session = BorderoData['sessions'][number];
type Figures = Pick<Session['totals'], 'sold' | 'courtesy' | 'refunded' | 'gross' | 'feeSale' | 'feeProducer' | 'net'>;

/** The sessions with their items, then the channels, the payment methods and the costs. */
export function BorderoTables({ report }: { report: BorderoData }) {
  const { locale } = useConsole();
  const { bordero: t } = useMessages<ReportsMessages>();
  const { sold, percent } = report.halfPrice;
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(percent / 100);
  return (
    <>
      {report.sessions.map((session) => (
        <SessionTable key={session.sessionIds.join(' ')} session={session} report={report} />
      ))}
      {sold > 0 && <p class="soft">{fill(t.halfPrice, { sold: new Intl.NumberFormat(locale).format(sold), percent: share })}</p>}
      <Groups report={report} />
    </>
  );
}

/** The columns of the figures. A figure that is 0 in the whole report is left out. */
function useFigureColumns<R extends Figures>({ currency, totals }: BorderoData): Column<R>[] {
  const { locale } = useConsole();
  const { bordero: t } = useMessages<ReportsMessages>();
  const count = new Intl.NumberFormat(locale);
  type Name = keyof Figures;
  const column = (key: Name, label: string, text: (value: number) => string): Column<R> => ({
    key,
    label,
    align: 'end',
    cell: (row) => text(row[key]),
  });
  const counted = (key: Name, label: string) => column(key, label, (value) => count.format(value));
  const amount = (key: Name, label: string) => column(key, label, (value) => money(value, currency, locale));
  const isLeftOut = (key: string) => ['courtesy', 'refunded', 'feeProducer'].includes(key) && totals[key as Name] === 0;
  return [
    counted('sold', t.sold),
    counted('courtesy', t.courtesy),
    counted('refunded', t.refunded),
    amount('gross', t.gross),
    amount('feeSale', t.feeSale),
    amount('feeProducer', t.feeProducer),
    amount('net', t.net),
  ].filter(({ key }) => !isLeftOut(key));
}

interface Row extends Figures {
  key: string;
  name: string;
  price: number | null;
  offered: number | null;
}

function SessionTable({ session, report }: { session: Session; report: BorderoData }) {
  const { currency } = report;
  const { locale } = useConsole();
  const { bordero: t } = useMessages<ReportsMessages>();
  const count = (n: number | null) => (n === null ? '–' : new Intl.NumberFormat(locale).format(n));
  const title = [session.name ?? t.several, session.start && date(session.start, 'moment', locale)].filter(Boolean).join(' · ');
  const rows: Row[] = [
    ...session.items.map((item) => ({ ...item, key: `${item.itemId} ${item.price}` })),
    { ...session.totals, key: 'total', name: t.total, price: null },
  ];
  const figures = useFigureColumns<Row>(report);
  return (
    <section class="panel reports-figures reports-session">
      <h2>{title}</h2>
      <Table
        name="bordero"
        caption={title}
        columns={[
          { key: 'item', label: t.item, cell: ({ name, key }) => (key === 'total' ? <strong>{name}</strong> : name) },
          { key: 'price', label: t.price, align: 'end', cell: ({ price }) => (price === null ? '' : money(price, currency, locale)) },
          { key: 'offered', label: t.offeredColumn, align: 'end', cell: ({ offered }) => count(offered) },
          ...figures,
        ]}
        rows={rows}
        rowKey={({ key }) => key}
      />
    </section>
  );
}

interface GroupRow extends Figures {
  name: string;
}

function Groups({ report }: { report: BorderoData }) {
  const { channels, payments, providerFees, currency } = report;
  const { locale } = useConsole();
  const { bordero: t } = useMessages<ReportsMessages>();
  const figures = useFigureColumns<GroupRow>(report);
  const channelNames: Partial<Record<number, string>> = t.channelNames;
  const methodNames: Partial<Record<string, string>> = t.methods;
  const groups = [
    {
      title: t.channels,
      label: t.channel,
      rows: channels.map((row) => ({ ...row, name: channelNames[row.appCategoryId] ?? fill(t.otherChannel, { id: row.appCategoryId }) })),
    },
    { title: t.payments, label: t.method, rows: payments.map((row) => ({ ...row, name: methodNames[row.method] ?? row.method })) },
  ];
  return (
    <>
      {groups
        .filter(({ rows }) => rows.length > 0)
        .map(({ title, label, rows }) => (
          <section key={title} class="panel reports-figures">
            <h2>{title}</h2>
            <Table
              name="bordero-groups"
              caption={title}
              columns={[{ key: 'name', label, cell: ({ name }) => name }, ...figures]}
              rows={rows}
              rowKey={({ name }) => name}
            />
          </section>
        ))}
      {providerFees !== null && providerFees.length > 0 && (
        <section class="panel">
          <h2>{t.costs}</h2>
          <p class="soft">{t.costsNote}</p>
          <Table
            name="bordero-costs"
            caption={t.costs}
            columns={[
              { key: 'method', label: t.method, cell: ({ method }) => methodNames[method] ?? method },
              { key: 'fee', label: t.fee, align: 'end', cell: ({ fee }) => money(fee, currency, locale) },
              { key: 'disputeFee', label: t.disputeFee, align: 'end', cell: ({ disputeFee }) => money(disputeFee, currency, locale) },
              { key: 'disputed', label: t.disputed, align: 'end', cell: ({ disputed }) => money(disputed, currency, locale) },
            ]}
            rows={providerFees}
            rowKey={({ method }) => method}
          />
        </section>
      )}
    </>
  );
}
