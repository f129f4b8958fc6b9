import { type Event, eventFieldNames } from '../events/event-schemas.ts';
import type { Act } from '../kernel/act.ts';
import { toWallClock } from '../kernel/wall-clock.ts';
import { withGroupNames } from '../orders/line-names.ts';
import { getOrder } from '../orders/order-access.ts';
import { Buyer, type Order } from '../orders/order-schemas.ts';
import { isOpen } from '../orders/payment.ts';
import { readWithdrawalEnd } from '../orders/withdrawal.ts';
import type { PaymentMethod } from '../payments/contract.ts';
import type { Tx } from '../postgres/database.ts';
import { describeEvents } from '../storefront/event.ts';
import { qrSvg } from '../tickets/qr-code.ts';
import { isOver } from './event-page.ts';
import { posterOf } from './images.ts';
import {
  type BuyerField,
  type BuyerForm,
  type MoneyBack,
  type OpenPayment,
  type OrderEvent,
  type OrderNotice,
  type OrderPage,
  type OrderView,
  orderStateOf,
} from './order-contract.ts';
import { readTicketCards } from './ticket-cards.ts';

/** Which order is asked for, and how. */
export interface OrderChoice {
  id: number;
  secret: string;
  /** The buyer wants to change the name or the address. */
  changesBuyer: boolean;
  notice: OrderNotice | null;
  /** A form that was refused, with what the buyer has entered. */
  refused?: Pick<BuyerForm, 'values' | 'invalid' | 'overLimit'>;
}

export type ListMethods = (tx: Tx, act: Act, eventId: number) => Promise<readonly PaymentMethod[]>;

const wholeEvent: ReadonlySet<string> = new Set(eventFieldNames);

/** Reads the page of an order. Throws 404 if the secret does not open the order. */
export async function readOrderPage(tx: Tx, act: Act, listMethods: ListMethods, choice: OrderChoice): Promise<OrderPage> {
  const { id, secret } = choice;
  const order = await getOrder(tx, act, id, secret);
  // The order gives the right to see its event, even if the event is no longer public.
  const event = (await describeEvents(tx, [order.eventId], act.at, wholeEvent))[0] as Event;
  const view = viewOf(order, choice);
  const methods = order.status === 'held' ? (await listMethods(tx, act, order.eventId)).filter((each) => suits(each, order)) : [];
  const image = posterOf(event).wide;
  const tickets = order.status === 'approved' ? await readTicketCards(tx, act, { id, secret, image }) : null;
  const dispute = order.disputes.at(-1)?.status ?? null;
  // While a payment is disputed, the bank decides about the money.
  const canWithdraw = view === 'paid' && (dispute === null || dispute === 'won');
  const until = canWithdraw ? await readWithdrawalEnd(tx, act, id, secret) : null;
  const local = (instant: Date | string) => toWallClock(new Date(instant), event.timezone);
  return {
    kind: 'order',
    id,
    view,
    state: orderStateOf(order),
    notice: choice.notice,
    event: describeEvent(event, order.sessionId, act.at),
    sessionId: order.sessionId,
    lines: await withGroupNames(tx, order.eventId, order.lines),
    total: order.total,
    fees: order.lines.reduce((sum, { feeSale, quantity }) => sum + feeSale * quantity, 0),
    refundedTotal: order.refundedTotal,
    currency: order.currency,
    hold: {
      now: act.at.toISOString(),
      createdAt: order.createdAt,
      expiresAt: order.expiresAt,
      until: local(order.expiresAt),
      isExtended: order.extended,
    },
    buyer: order.buyer,
    form: formOf(order, methods, choice.refused),
    methods,
    payment: openPaymentOf(order, methods),
    paidWith: order.payments.find(({ status }) => status === 'approved')?.method ?? null,
    failure: order.payments.findLast(({ status }) => status === 'declined')?.failure ?? null,
    tickets,
    withdrawUntil: until && local(until),
    moneyBack: moneyBackOf(order),
    dispute,
  };
}

/** PIX and boleto exist only in Brazil, but the sandbox takes them in all currencies. */
const suits = ({ method }: PaymentMethod, { currency }: Order): boolean => currency === 'BRL' || (method !== 'pix' && method !== 'boleto');

function viewOf(order: Order, { changesBuyer, refused }: OrderChoice): OrderView {
  if (order.status === 'approved') return 'paid';
  if (order.status !== 'held') return order.status;
  if (order.payments.some(isOpen)) return 'pending';
  return order.buyer === null || changesBuyer || refused ? 'buyer' : 'payment';
}

function describeEvent(event: Event, sessionId: number | null, at: Date): OrderEvent {
  const session = event.sessions.find(({ id }) => id === sessionId);
  const { start, finish } = session ?? event;
  return {
    id: event.id,
    title: event.title,
    path: `/event/${event.link}`,
    poster: posterOf(event),
    start,
    finish,
    venue: event.venue?.name ?? null,
    city: event.venue?.city ?? null,
    isCancelled: event.status === 'cancelled',
    isOver: isOver(event, at),
    hasSeveralTimes: session === undefined && event.sessions.length > 1,
  };
}

/** The types of the schemas do not list their limits. */
function maxLengthOf(schema: object): number {
  return (schema as { maxLength: number }).maxLength;
}

const maxLengths: BuyerForm['maxLengths'] = {
  name: maxLengthOf(Buyer.properties.name),
  email: maxLengthOf(Buyer.properties.email),
  document: maxLengthOf(Buyer.properties.document),
};

function formOf({ buyer, currency }: Order, methods: readonly PaymentMethod[], refused: OrderChoice['refused']): BuyerForm {
  const stored: Record<BuyerField, string> = { name: buyer?.name ?? '', email: buyer?.email ?? '', document: buyer?.document ?? '' };
  const asks = methods.some(({ needs }) => needs.includes('document'));
  return {
    values: refused?.values ?? stored,
    invalid: refused?.invalid ?? [],
    overLimit: refused?.overLimit ?? [],
    maxLengths,
    document: currency === 'BRL' ? 'cpf' : asks ? 'other' : null,
    needsDocument: methods.length > 0 && methods.every(({ needs }) => needs.includes('document')),
  };
}

const svgAddress = (svg: string): string => `data:image/svg+xml,${encodeURIComponent(svg)}`;

/** The last open payment. A code that can be paid is drawn, because the pictures of providers come from other servers. */
function openPaymentOf({ payments }: Order, methods: readonly PaymentMethod[]): OpenPayment | null {
  const payment = payments.findLast(isOpen);
  if (!payment) return null;
  const { method, action, expiresAt } = payment;
  const component = action?.type === 'client' ? methods.find((each) => each.method === method)?.component : null;
  return {
    method,
    status: payment.status === 'begun' ? 'begun' : 'pending',
    action,
    expiresAt,
    qrCode: action?.type === 'display' ? svgAddress(qrSvg(action.code)) : null,
    script: component?.script ?? null,
  };
}

const moneyBackOf = ({ refunds }: Order): MoneyBack[] =>
  refunds.map(({ amount, status }) => ({ amount, state: status === 'done' || status === 'failed' ? status : 'underway' }));
