import { type Capability, capability } from '../http/capability.ts';
import { anonymizeOrder } from './anonymize-order.ts';
import { cancelOrders } from './cancel-orders.ts';
import { ordersContract } from './contract.ts';
import { extendOrder } from './extend-order.ts';
import { getOrderTickets } from './get-tickets.ts';
import { listOrders } from './list-orders.ts';
import { describeOrder, requireOrder } from './order.ts';
import { payOrders } from './pay-orders.ts';
import { placeOrders } from './place-orders.ts';
import { describeSandbox, receiveFromOutside } from './receive-notices.ts';
import { refundOrder } from './refund-order.ts';
import { resendTickets } from './resend-tickets.ts';

/**
 * Which event an order is of is not known before it is read. In one lane they are gathered, whatever they are of; in several, many
 * small batches would wait for the counters of one hot event.
 */
const oneLane = (): number => 0;

export const orders: Capability = capability(ordersContract, {
  createOrder: {
    lane: ({ body }) => body.eventId,
    raced: ['spent_challenge_once'],
    run: (tx, requests) =>
      placeOrders(
        tx,
        requests.map(({ act, input }) => ({ act, order: input.body })),
      ),
  },
  getOrder: async (tx, act, { params, query }) => describeOrder(await requireOrder(tx, act, params.id, query.secret, 'order.read'), act.at),
  payOrder: {
    lane: oneLane,
    run: (tx, requests) =>
      payOrders(
        tx,
        requests.map(({ act, input: { params, query, body } }) => ({ act, id: params.id, secret: query.secret, body })),
      ),
  },
  cancelOrder: {
    lane: oneLane,
    run: (tx, requests) =>
      cancelOrders(
        tx,
        requests.map(({ act, input: { params, query } }) => ({ act, id: params.id, secret: query.secret })),
      ),
  },
  extendOrder: (tx, act, { params, query }) => extendOrder(tx, act, params.id, query.secret),
  refundOrder: (tx, act, { params, query, body }) => refundOrder(tx, act, params.id, query.secret, body),
  anonymizeOrder: (tx, act, { params }) => anonymizeOrder(tx, act, params.id),
  getOrderTickets: async (tx, act, { params, query }) => ({ data: await getOrderTickets(tx, act, params.id, query), nextCursor: null }),
  resendTickets: (tx, act, { params, query, body }) => resendTickets(tx, act, params.id, query.secret, body),
  receiveSandboxNotice: (tx, act, { body, signed }) => receiveFromOutside(tx, act, { body, signed }),
  getSandbox: (tx) => describeSandbox(tx),
  listOrders: (tx, act, { params, query }) => listOrders(tx, act.at, params.eventId, query),
});
