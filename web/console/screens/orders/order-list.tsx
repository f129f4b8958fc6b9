import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { instant, money } from '../../../ui/format.ts';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData, usePages } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { DateFilter, SearchFilter, SelectFilter } from '../../parts/filters.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { addHours, instantOf } from '../../parts/wall-clock.ts';
import { OrderTabs } from './order-tabs.tsx';
import {
  channelName,
  disputeStatuses,
  namedChannels,
  type Order,
  orderStatuses,
  paidBy,
  paymentMethods,
  StatusPill,
  ticketCount,
} from './order-words.tsx';
import './orders.css';

/** Disputes are filtered with the statuses, because few orders have one. */
const disputeOption = (status: string): string => `dispute-${status}`;

/** The filters of the address that the API knows. A value that it does not know is ignored. */
function filtersOf(query: URLSearchParams, timezone: string) {
  const known = <V extends string>(name: string, values: readonly V[]): V | undefined => values.find((value) => value === query.get(name));
  const id = (name: string): number | undefined => (/^[1-9]\d{0,8}$/.test(query.get(name) ?? '') ? Number(query.get(name)) : undefined);
  const day = (name: string): string | undefined =>
    /^\d{4}-\d\d-\d\d$/.test(query.get(name) ?? '') ? `${query.get(name)} 00:00:00` : undefined;
  const [first, last] = [day('from'), day('to')];
  const term = query.get('term') || undefined;
  const filters = {
    term,
    status: known('status', orderStatuses),
    method: known('method', paymentMethods),
    dispute: disputeStatuses.find((status) => query.get('status') === disputeOption(status)),
    channel: id('channel'),
    itemId: id('itemId'),
    from: first && instantOf(first, timezone),
    to: last && instantOf(addHours(last, 24), timezone),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as {
    [K in keyof typeof filters]?: NonNullable<(typeof filters)[K]>;
  };
}

/** All orders of the event, newest first. */
export function OrderList({ query }: ScreenProps) {
  const { client } = useConsole();
  const { event } = useEvent();
  const t = useMessages<OrdersMessages>();
  const filters = filtersOf(query, event.timezone);
  const orders = usePages(
    (cursor, signal) =>
      client.orders.list({ eventId: event.id, pageSize: 25, ...filters, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [event.id, JSON.stringify(filters)],
  );
  const columns = useColumns();
  return (
    <>
      <PageHead title={t.title} />
      <OrderTabs />
      <Filters />
      <Show of={orders}>
        {(rows) =>
          rows.length === 0 ? (
            <NoOrders isFiltered={Object.keys(filters).length > 0} />
          ) : (
            <Table
              name="orders"
              caption={t.title}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              href={({ id }) => to(`/events/${event.id}/orders/${id}`)}
              more={orders.more}
            />
          )
        }
      </Show>
    </>
  );
}

function Filters() {
  const { client } = useConsole();
  const { event } = useEvent();
  const t = useMessages<OrdersMessages>();
  const items = useData((signal) => client.items.list({ eventId: event.id, archived: 'all', pageSize: 200 }, { signal }), [event.id]);
  const sold = (items.data?.data ?? []).filter(({ type }) => type !== 'group');
  return (
    <div class="filters">
      <SearchFilter label={t.search} />
      <SelectFilter
        name="status"
        label={t.columns.status}
        options={[
          ...choices(t.any.status, orderStatuses, (value) => t.status[value]),
          ...disputeStatuses.map((value) => ({ value: disputeOption(value), label: t.dispute[value] })),
        ]}
      />
      <SelectFilter
        name="itemId"
        label={t.columns.tickets}
        options={[{ value: '', label: t.any.item }, ...sold.map(({ id, name }) => ({ value: String(id), label: name }))]}
      />
      <SelectFilter name="method" label={t.columns.method} options={choices(t.any.method, paymentMethods, (value) => t.method[value])} />
      <SelectFilter
        name="channel"
        label={t.columns.channel}
        options={choices(t.any.channel, namedChannels, (value) => channelName(t, value))}
      />
      <DateFilter name="from" label={t.from} />
      <DateFilter name="to" label={t.to} />
    </div>
  );
}

const choices = <V extends string | number>(any: string, values: readonly V[], labelOf: (value: V) => string) => [
  { value: '', label: any },
  ...values.map((value) => ({ value: String(value), label: labelOf(value) })),
];

function useColumns(): Column<Order>[] {
  const { locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<OrdersMessages>();
  const { columns: labels } = t;
  return [
    { key: 'order', label: labels.order, cell: ({ id }) => id },
    { key: 'buyer', label: labels.buyer, cell: (order) => <BuyerCell order={order} /> },
    { key: 'status', label: labels.status, cell: (order) => <StatusPill order={order} /> },
    { key: 'tickets', label: labels.tickets, align: 'end', cell: ticketCount },
    { key: 'total', label: labels.total, align: 'end', cell: ({ total, currency }) => money(total, currency, locale) },
    { key: 'method', label: labels.method, optional: true, cell: (order) => <MethodCell order={order} /> },
    { key: 'channel', label: labels.channel, optional: 'hidden', cell: ({ appCategoryId }) => channelName(t, appCategoryId) },
    {
      key: 'created',
      label: labels.created,
      optional: true,
      cell: ({ createdAt }) => instant(createdAt, 'shortMoment', locale, event.timezone),
    },
  ];
}

function BuyerCell({ order: { buyer } }: { order: Order }) {
  const t = useMessages<OrdersMessages>();
  if (!buyer) return <span class="soft">{t.noBuyer}</span>;
  return (
    <span class="two-lines">
      <span>{buyer.name}</span>
      <span class="soft small">{buyer.email}</span>
    </span>
  );
}

function MethodCell({ order }: { order: Order }) {
  const t = useMessages<OrdersMessages>();
  const payment = paidBy(order);
  if (payment) return <>{t.method[payment.method]}</>;
  return <>{order.total === 0 ? t.free : '–'}</>;
}

function NoOrders({ isFiltered }: { isFiltered: boolean }) {
  const { event, can } = useEvent();
  const t = useMessages<OrdersMessages>();
  if (isFiltered) {
    const all = { href: to(`/events/${event.id}/orders`), label: t.nothing.clear };
    return <EmptyState icon={icons.search} title={t.nothing.title} text={t.nothing.text} action={all} />;
  }
  const sell = can('order.sell') ? { action: { href: to(`/events/${event.id}/box-office`), label: t.none.sell } } : {};
  return <EmptyState icon={icons.receipt} title={t.none.title} text={t.none.text} {...sell} />;
}
