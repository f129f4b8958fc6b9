import { useState } from 'preact/hooks';
import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { fill } from '../../../messages/fill.ts';
import { instant, money } from '../../../ui/format.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { errorText } from '../../parts/show.tsx';
import { type Order, type Refund, RefundPill } from './order-words.tsx';

interface MoneyProps {
  order: Order;
  reload: () => Promise<void>;
}

const tones = { begun: 'warn', pending: 'warn', approved: 'ok', declined: 'bad', refunded: 'bad' } as const;

/** Payments, refunds and disputes of an order. */
export function PaymentsPanel({ order, reload }: MoneyProps) {
  const { locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<OrdersMessages>();
  const amount = (cents: number) => money(cents, order.currency, locale);
  const at = (text: string) => instant(text, 'moment', locale, event.timezone);
  return (
    <section class="panel">
      <h2>{t.payments.title}</h2>
      {order.payments.length === 0 && <p class="soft">{order.total === 0 ? t.payments.noneFree : t.payments.none}</p>}
      <ul class="rows">
        {order.payments.map((payment) => (
          <li key={payment.createdAt}>
            <span>
              <b>
                {t.method[payment.method]} · {amount(payment.received || payment.amount)}
              </b>
              <span class="soft small">{payment.failure ?? at(payment.createdAt)}</span>
            </span>
            <span class={`pill ${tones[payment.status]}`}>{t.payments.status[payment.status]}</span>
          </li>
        ))}
      </ul>
      {order.refunds.length > 0 && (
        <>
          <h3>{t.refunds.title}</h3>
          <ul class="rows">
            {order.refunds.map((refund) => (
              <RefundRow key={refund.id} order={order} refund={refund} reload={reload} />
            ))}
          </ul>
        </>
      )}
      {order.disputes.length > 0 && (
        <>
          <h3>{t.disputes.title}</h3>
          <ul class="rows">
            {order.disputes.map((dispute) => (
              <li key={dispute.id}>
                <span>
                  <b>{amount(dispute.amount)}</b>
                  <span class="soft small">
                    {dispute.reason} · {fill(t.disputes.opened, { when: at(dispute.openedAt) })}
                  </span>
                  {dispute.returnedTwice > 0 && <span>{fill(t.disputes.twice, { amount: amount(dispute.returnedTwice) })}</span>}
                </span>
                <span class={`pill ${dispute.status === 'won' ? 'ok' : 'bad'}`}>{t.dispute[dispute.status]}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** A refund with its state. A failed one can be sent again, or marked as returned in another way. */
function RefundRow({ order, refund, reload }: MoneyProps & { refund: Refund }) {
  const { client, t: frame, locale } = useConsole();
  const { event, can } = useEvent();
  const t = useMessages<OrdersMessages>();
  const toast = useToast();
  const [isSettling, setSettling] = useState(false);
  const amount = money(refund.amount, order.currency, locale);
  const retry = async () => {
    try {
      await client.orders.retryRefund({ id: order.id, refundId: refund.id });
      toast(t.refunds.retried);
      await reload();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  const settled = () => {
    setSettling(false);
    toast(t.refunds.settled);
    void reload();
  };
  return (
    <li>
      <span>
        <b>{amount}</b>
        <span class="soft small">
          {t.refunds.reasons[refund.reason]} · {instant(refund.createdAt, 'moment', locale, event.timezone)}
        </span>
        {refund.note && <span class="small">{refund.note}</span>}
      </span>
      <RefundPill status={refund.status} />
      {refund.status === 'failed' && (
        <div class="orders-failed">
          <Notice tone="bad">
            <p>{refund.failure}</p>
          </Notice>
          {can('order.refund') && (
            <div class="actions">
              <button type="button" class="button plain" onClick={() => void retry()}>
                {t.refunds.retry}
              </button>
              <button type="button" class="button plain" onClick={() => setSettling(true)}>
                {t.refunds.settle}
              </button>
            </div>
          )}
        </div>
      )}
      {isSettling && (
        <Dialog title={fill(t.refunds.settleTitle, { amount })} onClose={() => setSettling(false)}>
          <p>{t.refunds.settleText}</p>
          <Form
            initial={{ note: '' }}
            submit={({ values }) => client.orders.settleRefund({ id: order.id, refundId: refund.id, note: values.note })}
            onDone={settled}
            action={t.refunds.settle}
          >
            <TextField name="note" label={t.refunds.note} maxLength={200} required autofocus />
          </Form>
        </Dialog>
      )}
    </li>
  );
}
