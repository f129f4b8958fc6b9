import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { instant, money } from '../../../ui/format.ts';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { usePages } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { SelectFilter } from '../../parts/filters.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { OrderTabs } from './order-tabs.tsx';
import { RefundPill, refundStatuses } from './order-words.tsx';
import './orders.css';

/** The money that goes back to buyers. Failed refunds are retried or settled in their order. */
export function RefundList({ query }: ScreenProps) {
  const { client, locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<OrdersMessages>();
  const status = refundStatuses.find((candidate) => candidate === query.get('status'));
  const refunds = usePages(
    (cursor, signal) =>
      client.orders.refunds(
        { eventId: event.id, pageSize: 25, ...(status && { status }), ...(cursor && { cursor }) },
        { ...(signal && { signal }) },
      ),
    [event.id, status],
  );
  type Row = NonNullable<typeof refunds.data>[number];
  const columns: Column<Row>[] = [
    { key: 'order', label: t.columns.order, cell: ({ orderId }) => orderId },
    { key: 'amount', label: t.refunds.amount, align: 'end', cell: ({ amount, currency }) => money(amount, currency, locale) },
    { key: 'status', label: t.refunds.status, cell: (row) => <RefundPill status={row.status} /> },
    { key: 'reason', label: t.refunds.reason, cell: ({ reason, failure }) => failure ?? t.refunds.reasons[reason] },
    { key: 'method', label: t.columns.method, optional: true, cell: ({ method }) => t.method[method] },
    {
      key: 'when',
      label: t.refunds.when,
      optional: true,
      cell: ({ createdAt }) => instant(createdAt, 'shortMoment', locale, event.timezone),
    },
  ];
  return (
    <>
      <PageHead title={t.refunds.title} about={t.refunds.about} />
      <OrderTabs />
      <div class="filters">
        <SelectFilter
          name="status"
          label={t.refunds.status}
          options={[{ value: '', label: t.any.refund }, ...refundStatuses.map((value) => ({ value, label: t.refunds.states[value] }))]}
        />
      </div>
      <Show of={refunds}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={icons.undo} title={t.refunds.none.title} text={t.refunds.none.text} />
          ) : (
            <Table
              name="refunds"
              caption={t.refunds.title}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              href={({ orderId }) => to(`/events/${event.id}/orders/${orderId}`)}
              more={refunds.more}
            />
          )
        }
      </Show>
    </>
  );
}
