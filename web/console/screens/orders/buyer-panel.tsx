import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { useMessages } from '../../app/console.ts';
import type { Order } from './order-words.tsx';

export function BuyerPanel({ order: { buyer } }: { order: Order }) {
  const t = useMessages<OrdersMessages>();
  return (
    <section class="panel">
      <h2>{t.buyer.title}</h2>
      {buyer ? (
        <dl class="facts">
          <dt>{t.buyer.name}</dt>
          <dd>{buyer.name}</dd>
          <dt>{t.buyer.email}</dt>
          <dd>
            <a href={`mailto:${buyer.email}`}>{buyer.email}</a>
          </dd>
          {buyer.document && (
            <>
              <dt>{t.buyer.document}</dt>
              <dd>{buyer.document}</dd>
            </>
          )}
        </dl>
      ) : (
        <p class="soft">{t.buyer.none}</p>
      )}
    </section>
  );
}
