import type { AnswerOf } from '../../../../client/src/index.ts';
import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useMessages } from '../../app/console.ts';

export type Details = AnswerOf<'getOrderDetails'>;
export type Order = Details['order'];
export type Refund = Order['refunds'][number];

export const orderStatuses = ['held', 'approved', 'expired', 'cancelled', 'refunded'] as const;
export const paymentMethods = ['cash', 'card', 'pix', 'boleto'] as const;
export const disputeStatuses = ['open', 'won', 'lost'] as const;
export const refundStatuses = ['failed', 'begun', 'pending', 'done'] as const;

/** The channels with a name. Others are numbers that the producer has chosen. */
const channels: Partial<Record<number, keyof OrdersMessages['channel']>> = { 1: 'web', 2: 'boxOffice', 3: 'app', 4: 'partner' };
export const namedChannels = [1, 2, 3, 4];

export const channelName = ({ channel }: OrdersMessages, id: number): string => fill(channel[channels[id] ?? 'other'], { id });

const tones: Record<Order['status'], string> = { held: 'warn', approved: 'ok', expired: '', cancelled: '', refunded: 'bad' };

export function StatusPill({ order: { status, refundedTotal, disputes } }: { order: Order }) {
  const t = useMessages<OrdersMessages>();
  return (
    <span class="pills">
      <span class={`pill ${tones[status]}`}>{t.status[status]}</span>
      {status === 'approved' && refundedTotal > 0 && <span class="pill bad">{t.partly}</span>}
      {disputes.some((dispute) => dispute.status === 'open') && <span class="pill bad">{t.dispute.open}</span>}
    </span>
  );
}

const refundTones: Record<Refund['status'], string> = { begun: 'warn', pending: 'warn', done: 'ok', failed: 'bad' };

export function RefundPill({ status }: Pick<Refund, 'status'>) {
  const t = useMessages<OrdersMessages>();
  return <span class={`pill ${refundTones[status]}`}>{t.refunds.states[status]}</span>;
}

export const ticketCount = ({ lines }: Pick<Order, 'lines'>): number => lines.reduce((sum, { quantity }) => sum + quantity, 0);

/** How the order was paid, or null. */
export const paidBy = ({ payments }: Pick<Order, 'payments'>): Order['payments'][number] | null =>
  payments.find(({ status }) => status === 'approved') ?? null;
