import type { OverviewMessages } from '../../../messages/console/overview.en.ts';
import { fill } from '../../../messages/fill.ts';
import { money } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { Table } from '../../parts/table.tsx';
import type { Dashboard } from './overview.tsx';

export function Channels({ dashboard: { channels, currency } }: { dashboard: Dashboard }) {
  const { locale } = useConsole();
  const t = useMessages<OverviewMessages>();
  const names: Partial<Record<number, string>> = t.channels.names;
  return (
    <section class="panel">
      <h2>{t.channels.title}</h2>
      <Table
        name="overview-channels"
        caption={t.channels.title}
        columns={[
          { key: 'channel', label: t.channels.channel, cell: ({ appCategoryId: id }) => names[id] ?? fill(t.channels.other, { id }) },
          {
            key: 'sold',
            label: t.channels.sold,
            align: 'end',
            cell: ({ sold, courtesy }) => new Intl.NumberFormat(locale).format(sold + courtesy),
          },
          { key: 'revenue', label: t.channels.revenue, align: 'end', cell: ({ gross }) => money(gross, currency, locale) },
        ]}
        rows={channels}
        rowKey={({ appCategoryId }) => appCategoryId}
      />
    </section>
  );
}
