import { type Capability, capability } from '../http/capability.ts';
import { anonymizeOrder } from './anonymize-order.ts';
import { cancelOrders } from './cancel-orders.ts';
import { ordersContract } from './contract.ts';
import { extendOrder } from './extend-order.ts';
import { getOrderTickets } from './get-tickets.ts';
import { listOrders } from './list-orders.ts';
import { describeOrder, requireOrder } from './order.ts';
import { selectEventsOfOrders } from './order-rows.sql.ts';
import { payOrders } from './pay-orders.ts';
import { placeOrders } from './place-orders.ts';
import { describeSandbox, receiveFromOutside } from './receive-notices.ts';
import { refundOrder } from './refund-order.ts';
import { resendTickets } from './resend-tickets.ts';

export const orders: Capability = capability(ordersContract, {
  createOrder: {
    batchKey: ({ body }) => body.eventId,
    run: (tx, requests) =>
      placeOrders(
        tx,
        requests.map(({ act, input }) => ({ act, order: input.body })),
      ),
  },
  getOrder: async (tx, act, { params, query }) => describeOrder(await requireOrder(tx, act, params.id, query.secret, 'order.read'), act.at),
  payOrder: {
    batchKey: ({ params }) => params.id,
    findBatchKeys: selectEventsOfOrders,
    run: (tx, requests) =>
      payOrders(
        tx,
        requests.map(({ act, input: { params, query, body } }) => ({ act, id: params.id, secret: query.secret, body })),
      ),
  },
  cancelOrder: {
    batchKey: ({ params }) => params.id,
    findBatchKeys: selectEventsOfOrders,
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
