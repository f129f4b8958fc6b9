import type { PaymentProvider } from '../config.ts';
import { type Capability, capability, type Handlers } from '../http/capability.ts';
import { Problem } from '../kernel/problem.ts';
import { anonymizeOrder } from './anonymize-order.ts';
import { cancelOrders } from './cancel-orders.ts';
import { ordersContract } from './contract.ts';
import { extendOrder } from './extend-order.ts';
import { drawTicket, getOrderTickets } from './get-tickets.ts';
import { listOrders } from './list-orders.ts';
import { describeOrder, requireOrder } from './order.ts';
import { selectEventsOfOrders } from './order-rows.sql.ts';
import { payOrders } from './pay-orders.ts';
import { placeOrders } from './place-orders.ts';
import { paymentMethods } from './providers/ask.ts';
import { describeSandbox, receiveFromOutside } from './receive-notices.ts';
import { refundOrder } from './refund-order.ts';
import { resendTickets } from './resend-tickets.ts';

type Providers = ReadonlySet<PaymentProvider>;

/** Without the sandbox its own operations have no address. */
export function orders(providers: Providers): Capability {
  const { receiveSandboxNotice: _notice, getSandbox: _sandbox, ...others } = ordersContract;
  const all = capability(ordersContract, handlersOf(providers));
  return providers.has('sandbox') ? all : { ...all, contract: others };
}

/** Every order says whether its shop takes test money. */
const markerOf = (providers: Providers) => {
  const mark = <T extends object>(order: T) => ({ ...order, testMoney: providers.has('sandbox') });
  const markAll = <T extends object>(outcomes: readonly (T | Problem)[]) =>
    outcomes.map((outcome) => (outcome instanceof Problem ? outcome : mark(outcome)));
  return { mark, markAll };
};

const handlersOf = (
  providers: Providers,
  { mark, markAll } = markerOf(providers),
  methods = paymentMethods(providers),
): Handlers<typeof ordersContract> => ({
  createOrder: {
    batchKey: ({ body }) => body.eventId,
    raced: ['spent_challenge_once'],
    run: async (tx, requests) =>
      markAll(
        await placeOrders(
          tx,
          requests.map(({ act, input }) => ({ act, order: input.body })),
        ),
      ),
  },
  getOrder: async (tx, act, { params, query }) =>
    mark(describeOrder(await requireOrder(tx, act, params.id, query.secret, 'order.read'), act.at)),
  payOrder: {
    batchKey: ({ params }) => params.id,
    findBatchKeys: selectEventsOfOrders,
    run: async (tx, requests) =>
      markAll(
        await payOrders(
          tx,
          requests.map(({ act, input: { params, query, body } }) => ({ act, id: params.id, secret: query.secret, body })),
          methods,
        ),
      ),
  },
  cancelOrder: {
    batchKey: ({ params }) => params.id,
    findBatchKeys: selectEventsOfOrders,
    run: async (tx, requests) =>
      markAll(
        await cancelOrders(
          tx,
          requests.map(({ act, input: { params, query } }) => ({ act, id: params.id, secret: query.secret })),
        ),
      ),
  },
  extendOrder: async (tx, act, { params, query }) => mark(await extendOrder(tx, act, params.id, query.secret)),
  refundOrder: async (tx, act, { params, query, body }) => mark(await refundOrder(tx, act, params.id, query.secret, body)),
  anonymizeOrder: async (tx, act, { params }) => mark(await anonymizeOrder(tx, act, params.id)),
  getOrderTickets: (tx, act, { params, query }) => getOrderTickets(tx, act, params.id, query),
  getTicketSvg: (tx, act, { params, query }) => drawTicket(tx, act, params.id, query, 'svg'),
  getTicketPng: (tx, act, { params, query }) => drawTicket(tx, act, params.id, query, 'png'),
  resendTickets: (tx, act, { params, query, body }) => resendTickets(tx, act, params.id, query.secret, body),
  receiveSandboxNotice: (tx, act, { body, signed }) => receiveFromOutside(tx, act, { body, signed }),
  getSandbox: (tx) => describeSandbox(tx),
  listOrders: async (tx, act, { params, query }) => {
    const page = await listOrders(tx, act.at, params.eventId, query);
    return { ...page, data: page.data.map(mark) };
  },
});
