import Type, { type Static } from 'typebox';
import { permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, named, nullable, oneOf, pageOf, pageQuery, paragraphs } from '../kernel/schema.ts';
import { exampleRead, Order, orderIdParams } from './order-schemas.ts';
import { exampleTicket, Ticket } from './ticket-contract.ts';

const OrderNote = named('OrderNote', {
  id: Id,
  text: Type.String(),
  author: closed({ id: Id, name: Type.String() }),
  createdAt: Instant,
});
export type OrderNote = Static<typeof OrderNote>;

const exampleNote = {
  id: 3,
  text: 'Called: the buyer arrives late.',
  author: { id: 7, name: 'Ana Souza' },
  createdAt: '2026-11-20T14:00:00.000Z',
};

const Changed = Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] });

const TimelineEntry = named('TimelineEntry', {
  id: Id,
  at: Instant,
  operation: Type.String({ description: 'The `operationId` of the request, or the name of a background job' }),
  actor: closed({
    kind: oneOf(['anonymous', 'system', 'user'], { description: '`anonymous`: the buyer. `system`: a job or command' }),
    id: nullable(Id),
    name: nullable(Type.String({ description: 'The name of the user, job or command' })),
  }),
  before: Changed,
  after: Changed,
});
export type TimelineEntry = Static<typeof TimelineEntry>;

const exampleEntry = {
  id: 901,
  at: '2026-11-20T13:02:00.000Z',
  operation: 'payOrder',
  actor: { kind: 'anonymous', id: null, name: null },
  before: { status: 'held' },
  after: { status: 'approved' },
};

const onePage = <T>(row: T) => ({ data: [row], nextCursor: null });

const OrderDetails = named('OrderDetails', {
  order: Order,
  tickets: pageOf(Ticket),
  notes: pageOf(OrderNote),
  timeline: pageOf(TimelineEntry),
});
export type OrderDetails = Omit<Static<typeof OrderDetails>, 'order'> & { order: Order };

export const historyContract = {
  createOrderNote: route({
    method: 'POST',
    path: '/orders/{id}/notes',
    group: 'shop',
    summary: 'Add a note to an order',
    description:
      'For the crew. Buyers do not see notes. A note cannot be changed or deleted. Erasing the buyer of the order deletes its notes. An order can have at most 200 notes.',
    access: permitted('order.sell', { order: 'path.id' }),
    params: orderIdParams,
    body: closed({ text: paragraphs(2000, 'Called: the buyer arrives late.') }),
    answer: { status: 201, body: OrderNote },
    problems: ['rule_violation'],
    examples: { params: { id: 1001 }, body: { text: exampleNote.text }, answer: exampleNote },
  }),
  listOrderNotes: route({
    method: 'GET',
    path: '/orders/{id}/notes',
    group: 'shop',
    summary: 'List the notes on an order',
    description: 'Returns the notes of the crew, oldest first.',
    access: permitted('order.read', { order: 'path.id' }),
    params: orderIdParams,
    query: Type.Object(pageQuery),
    answer: { status: 200, body: pageOf(OrderNote) },
    examples: { params: { id: 1001 }, answer: { data: [exampleNote], nextCursor: null } },
  }),
  getOrderTimeline: route({
    method: 'GET',
    path: '/orders/{id}/timeline',
    group: 'shop',
    summary: 'Get what happened to an order',
    description:
      'Returns the entries of the audit log about the order, oldest first: who did what, and what changed. Entries do not name the buyer. They are kept as long as the audit log.',
    access: permitted('order.read', { order: 'path.id' }),
    params: orderIdParams,
    query: Type.Object(pageQuery),
    answer: { status: 200, body: pageOf(TimelineEntry) },
    examples: { params: { id: 1001 }, answer: { data: [exampleEntry], nextCursor: null } },
  }),
  getOrderDetails: route({
    method: 'GET',
    path: '/orders/{id}/details',
    group: 'shop',
    summary: 'Get an order with its tickets, notes and timeline',
    description:
      'For pages of the crew. Returns the order and the first 200 of its tickets, of its notes and of the entries of its timeline. If there are more, `nextCursor` is not null: pass it to the operation that lists them.',
    access: permitted('order.read', { order: 'path.id' }),
    params: orderIdParams,
    answer: { status: 200, body: OrderDetails },
    examples: {
      params: { id: 1001 },
      answer: { order: exampleRead, tickets: onePage(exampleTicket), notes: onePage(exampleNote), timeline: onePage(exampleEntry) },
    },
  }),
};
