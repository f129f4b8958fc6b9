import type { Buyer, Order } from '../orders/order-schemas.ts';
import type { PaymentMethod } from '../payments/contract.ts';
import type { Poster } from './contract.ts';
import type { TicketCards } from './ticket-card-contract.ts';

/*
 * What the page of an order shows. Times are local times of the event, except those that a countdown needs, which are instants.
 */

/** Which part of the page is shown: the steps of the checkout, then the order. */
export type OrderView = 'buyer' | 'payment' | 'pending' | 'paid' | 'expired' | 'cancelled' | 'refunded';

/** What the last action of the buyer led to. It is in the address, so that the page can be loaded again. */
export const orderNotices = [
  'declined',
  'unavailable',
  'document',
  'address',
  'extended',
  'notExtended',
  'mailed',
  'mailLimit',
  'withdrawn',
  'withdrawalClosed',
  'busy',
  'failed',
] as const;
export type OrderNotice = (typeof orderNotices)[number];

export interface OrderEvent {
  id: number;
  title: string;
  /** The path after the language. */
  path: string;
  poster: Poster;
  /** The session of the order if there is one, otherwise the event. */
  start: string | null;
  finish: string | null;
  venue: string | null;
  city: string | null;
  isCancelled: boolean;
  isOver: boolean;
  /** The order is for no single session of the event, so only the days of the event can be shown. */
  hasSeveralTimes: boolean;
}

export type BuyerField = keyof Buyer;

export interface BuyerForm {
  values: Readonly<Record<BuyerField, string>>;
  /** The fields that were refused. */
  invalid: readonly BuyerField[];
  maxLengths: Readonly<Record<BuyerField, number>>;
  /** How the document is asked for. Brazilian buyers have a CPF. */
  document: 'cpf' | 'other' | null;
  needsDocument: boolean;
  /** Lines above the limit per buyer. */
  overLimit: readonly { name: string; quantity: number; remaining: number }[];
}

/** A payment that the buyer has begun and that is not decided. */
export interface OpenPayment {
  method: Order['payments'][number]['method'];
  status: 'begun' | 'pending';
  action: Order['payments'][number]['action'];
  /** Until when it can be paid, as an instant. */
  expiresAt: string | null;
  /** The code to pay as a picture: a `data:` address of an SVG. */
  qrCode: string | null;
  /** The script of the provider's web component. */
  script: string | null;
}

export interface MoneyBack {
  amount: number;
  state: 'underway' | 'done' | 'failed';
}

export interface OrderPage {
  kind: 'order';
  id: number;
  view: OrderView;
  /** See `orderStateOf`. */
  state: string;
  notice: OrderNotice | null;
  event: OrderEvent;
  sessionId: number | null;
  lines: Order['lines'];
  total: number;
  fees: number;
  refundedTotal: number;
  currency: string;
  /** The hold. `now` is the time of the server at which the page was made. */
  hold: { now: string; createdAt: string; expiresAt: string; until: string; isExtended: boolean };
  buyer: Order['buyer'];
  form: BuyerForm;
  methods: readonly PaymentMethod[];
  payment: OpenPayment | null;
  /** The method with which the order was paid. Null for a free order. */
  paidWith: OpenPayment['method'] | null;
  /** The reason of the provider for the last declined payment. */
  failure: string | null;
  /** The tickets of a paid order. */
  tickets: TicketCards | null;
  /** Until when the buyer can withdraw. Null: not possible. */
  withdrawUntil: string | null;
  moneyBack: readonly MoneyBack[];
  dispute: 'open' | 'won' | 'lost' | null;
}

/** Describes the state of an order as a text. An open page compares it with the state of the order, and loads again if it has changed. */
export const orderStateOf = ({ status, buyer, payments }: Pick<Order, 'status' | 'buyer' | 'payments'>): string =>
  [
    status,
    buyer === null ? 'unnamed' : 'named',
    ...payments.map(({ method, status, action }) => `${method} ${status} ${action?.type}`),
  ].join();
