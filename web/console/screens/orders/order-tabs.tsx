import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { Tabs } from '../../parts/tabs.tsx';

/** Only those who may refund see the refunds of the event. */
export function OrderTabs() {
  const { event, can } = useEvent();
  const t = useMessages<OrdersMessages>();
  const path = `/events/${event.id}/orders`;
  const items = [
    { path, label: t.title },
    { path: `${path}/refunds`, label: t.refunds.title },
  ];
  return can('order.refund') ? <Tabs label={t.title} items={items} /> : null;
}
