import { findEventsOf } from '../events/event-of.ts';
import { type Capability, capability, type Handlers } from '../http/capability.ts';
import { anonymizeOrder } from './anonymize-order.ts';
import { cancelOrders } from './cancel-orders.ts';
import { changeBuyerEmail } from './change-buyer-email.ts';
import { ordersContract } from './contract.ts';
import { createOrders } from './create-orders.ts';
import { extendOrder } from './extend-order.ts';
import { getOrderDetails } from './get-order-details.ts';
import { getOrderTickets, getTicketPicture } from './get-order-tickets.ts';
import { getOrderCalendar, getTicketsPdf } from './get-ticket-files.ts';
import { listOrders } from './list-orders.ts';
import { markTestMoney } from './order.ts';
import { closeOrderSession, getOrder, openOrderSession } from './order-access.ts';
import { revokeOrderLinks } from './order-links.ts';
import { createOrderNote, listOrderNotes } from './order-notes.ts';
import { type Order } from './order-schemas.ts';
import { getOrderTimeline } from './order-timeline.ts';
import { type ReturnMoney, refundOrder } from './refund-order.ts';
import { resendTickets } from './resend-tickets.ts';
import { setBuyers } from './set-buyers.ts';

export interface OrdersSetup {
  /** Whether the payment sandbox is on. */
  testMoney: boolean;
  returnMoney: ReturnMoney;
  /** The address of the shop, for links in calendar files. */
  shopUrl: string;
}

export const orders = (setup: OrdersSetup): Capability => capability(ordersContract, handlersOf(setup));

function handlersOf({ testMoney, returnMoney, shopUrl }: OrdersSetup): Handlers<typeof ordersContract> {
  const { mark, markAll } = markTestMoney(testMoney);
  return {
    createOrder: {
      batchKey: ({ body }) => body.eventId,
      raceConstraints: ['spent_challenge_once', 'waiting_room_order_once'],
      run: async (tx, requests) => {
        const placed = requests.map(({ act, input }) => ({ act, order: input.body }));
        return markAll(await createOrders(tx, placed));
      },
    },
    getOrder: async (tx, act, { params, query }) => mark(await getOrder(tx, act, params.id, query.secret)),
    setBuyer: {
      batchKey: ({ params }) => params.id,
      findBatchKeys: (db, ids) => findEventsOf(db, 'ticket_order', ids),
      run: async (tx, requests) => {
        const set = requests.map(({ act, eventId, input: { params, query, body }, checkCurrent }) => ({
          act,
          eventId,
          id: params.id,
          secret: query.secret,
          buyer: body,
          checkCurrent: (order: Order) => checkCurrent(mark(order)),
        }));
        return markAll(await setBuyers(tx, set));
      },
    },
    cancelOrder: {
      batchKey: ({ params }) => params.id,
      findBatchKeys: (db, ids) => findEventsOf(db, 'ticket_order', ids),
      run: async (tx, requests) => {
        const cancelled = requests.map(({ act, eventId, input: { params, query } }) => ({
          act,
          eventId,
          id: params.id,
          secret: query.secret,
        }));
        return markAll(await cancelOrders(tx, cancelled));
      },
    },
    extendOrder: async (tx, act, { params, query }) => mark(await extendOrder(tx, act, params.id, query.secret)),
    refundOrder: async (tx, act, { params, query, body }) =>
      mark(await refundOrder(tx, act, { id: params.id, secret: query.secret, body }, returnMoney)),
    openOrderSession: (tx, act, { params, query }) => openOrderSession(tx, act, params.id, query.secret),
    closeOrderSession: () => closeOrderSession(),
    revokeOrderLinks: (tx, act, { params }) => revokeOrderLinks(tx, act, params.id),
    changeBuyerEmail: async (tx, act, { params, body }) => mark(await changeBuyerEmail(tx, act, params.id, body.email)),
    createOrderNote: (tx, act, { params, body }) => createOrderNote(tx, act, params.id, body.text),
    listOrderNotes: (tx, _act, { params, query }) => listOrderNotes(tx, params.id, query),
    getOrderTimeline: (tx, _act, { params, query }) => getOrderTimeline(tx, params.id, query),
    getOrderDetails: async (tx, act, { params }) => {
      const details = await getOrderDetails(tx, act, params.id);
      return { ...details, order: mark(details.order) };
    },
    anonymizeOrder: async (tx, act, { params }) => mark(await anonymizeOrder(tx, act, params.id)),
    getOrderTickets: (tx, act, { params, query }) => getOrderTickets(tx, act, params.id, query),
    getTicketSvg: (tx, act, { params, query }) => getTicketPicture(tx, act, params.id, query, 'svg'),
    getTicketPng: (tx, act, { params, query }) => getTicketPicture(tx, act, params.id, query, 'png'),
    getTicketsPdf: (tx, act, { params, query }) => getTicketsPdf(tx, act, params.id, query),
    getOrderCalendar: (tx, act, { params, query }) => getOrderCalendar(tx, act, params.id, query, shopUrl),
    resendTickets: (tx, act, { params, query, body }) => resendTickets(tx, act, params.id, query.secret, body),
    listOrders: async (tx, act, { params, query }) => {
      const page = await listOrders(tx, act, params.eventId, query);
      return { ...page, data: page.data.map(mark) };
    },
  };
}
