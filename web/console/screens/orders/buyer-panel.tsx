import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { useMessages } from '../../app/console.ts';
import type { Order } from './order-words.tsx';

export function BuyerPanel({ order: { buyer } }: { order: Order }) {
  const t = useMessages<OrdersMessages>();
  return (
    <section class="panel">
      <h2>{t.buyer.title}</h2>
      {buyer ? (
        <div class="orders-contact">
          <b>{buyer.name}</b>
          <a href={`mailto:${buyer.email}`}>{buyer.email}</a>
          {buyer.document && <span class="soft">{buyer.document}</span>}
        </div>
      ) : (
        <p class="soft">{t.buyer.none}</p>
      )}
    </section>
  );
}
