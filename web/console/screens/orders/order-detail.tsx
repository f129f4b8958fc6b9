import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { fill } from '../../../messages/fill.ts';
import { instant } from '../../../ui/format.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { BuyerPanel } from './buyer-panel.tsx';
import { NotesPanel } from './notes-panel.tsx';
import { OrderActions } from './order-actions.tsx';
import { channelName, type Details, StatusPill } from './order-words.tsx';
import { PaymentsPanel } from './payments-panel.tsx';
import { TicketsPanel } from './tickets-panel.tsx';
import { Timeline } from './timeline.tsx';
import './orders.css';

/** One order: who bought what, what was paid and returned, and what happened to it. */
export function OrderDetail({ params }: ScreenProps) {
  const { client } = useConsole();
  const { event } = useEvent();
  const t = useMessages<OrdersMessages>();
  const id = Number(params.orderId);
  const details = useData((signal) => client.orders.details({ id }, { signal }), [id]);
  const back = { href: to(`/events/${event.id}/orders`), label: t.title };
  const { data } = details;
  return (
    <>
      <PageHead title={fill(t.order, { id })} back={back} about={data && <About order={data.order} />}>
        {data && <OrderActions details={data} reload={details.reload} />}
      </PageHead>
      <Show of={details}>{(shown) => <Panels details={shown} reload={details.reload} />}</Show>
    </>
  );
}

function About({ order }: Pick<Details, 'order'>) {
  const { locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<OrdersMessages>();
  const at = (text: string) => instant(text, 'moment', locale, event.timezone);
  return (
    <div class="pills">
      <StatusPill order={order} />
      <span>{fill(t.about, { when: at(order.createdAt), channel: channelName(t, order.appCategoryId) })}</span>
      {order.status === 'held' && <span>{fill(t.heldUntil, { when: at(order.expiresAt) })}</span>}
    </div>
  );
}

const Panels = ({ details, reload }: { details: Details; reload: () => Promise<void> }) => (
  <div class="orders-detail">
    <div class="stack">
      <TicketsPanel details={details} />
      <PaymentsPanel order={details.order} reload={reload} />
    </div>
    <div class="stack">
      <BuyerPanel order={details.order} />
      <NotesPanel details={details} reload={reload} />
      <Timeline details={details} />
    </div>
  </div>
);
