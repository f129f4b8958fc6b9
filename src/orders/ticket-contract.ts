import Type, { type Static } from 'typebox';
import { anyone } from '../kernel/access.ts';
import { locales } from '../kernel/locale.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';
import { orderIdParams, SecretQuery } from './order-schemas.ts';

export const Ticket = named('OrderTicket', {
  id: Id,
  itemId: Id,
  name: Type.String(),
  sessionIds: Type.Array(Id),
  status: oneOf(['valid', 'refunded']),
  code: Type.String({
    description: 'The code of the ticket: a signed code or an imported code. It is the content of the QR code that is scanned at the door',
  }),
  shortCode: nullable(
    Type.String({
      description:
        'A code of 8 characters or a few more that stewards can type if the QR code cannot be scanned. Null for tickets with an imported code',
      examples: ['7K3M-9PQ2'],
    }),
  ),
  used: Type.Boolean({ description: 'Whether a guest has entered with this ticket' }),
});
export type OrderTicket = Static<typeof Ticket>;

const Resend = closed({ locale: Type.Optional(oneOf(locales)) });
export type ResendBody = Static<typeof Resend>;

const TicketPictureQuery = Type.Object({ orderId: Id, ...SecretQuery.properties });

const TicketFileQuery = Type.Object({ locale: Type.Optional(oneOf(locales)), ...SecretQuery.properties });
export type TicketFileQuery = Static<typeof TicketFileQuery>;

export const exampleTicket = {
  id: 5001,
  itemId: 42,
  name: '2º lote',
  sessionIds: [7],
  status: 'valid',
  code: 'AEBAGBAF…',
  shortCode: '7K3M-9PQ2',
  used: false,
};

/** What the operations for the QR code of a ticket share. */
const qrCode = {
  method: 'GET',
  group: 'shop',
  description:
    'Send `orderId` with the secret of the order, or sign in as a crew member of the event. Returns 409 `wrong_state` for a refunded ticket.',
  access: anyone,
  orderAccess: 'query.orderId',
  params: orderIdParams,
  query: TicketPictureQuery,
  answer: { status: 200 },
  problems: ['wrong_state'],
  examples: { params: { id: 5001 }, query: { orderId: 1001 } },
} as const;

export const ticketContract = {
  getOrderTickets: route({
    method: 'GET',
    path: '/orders/{id}/tickets',
    group: 'shop',
    summary: 'List the tickets of an order',
    description:
      'Returns a page of tickets, ordered by id. The list is empty until the order is approved. To get the QR code of a ticket as a picture, use `/tickets/{id}/qr.svg` or `/tickets/{id}/qr.png`.',
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: Type.Object({ ...pageQuery, ...SecretQuery.properties }),
    answer: { status: 200, body: pageOf(Ticket) },
    examples: {
      params: { id: 1001 },
      answer: {
        data: [exampleTicket],
        nextCursor: null,
      },
    },
  }),
  getTicketSvg: route({
    ...qrCode,
    path: '/tickets/{id}/qr.svg',
    summary: 'Get the QR code of a ticket as SVG',
    sends: ['image/svg+xml'],
  }),
  getTicketPng: route({
    ...qrCode,
    path: '/tickets/{id}/qr.png',
    summary: 'Get the QR code of a ticket as PNG',
    sends: ['image/png'],
  }),
  getTicketsPdf: route({
    method: 'GET',
    path: '/orders/{id}/tickets.pdf',
    group: 'shop',
    summary: 'Get the tickets of an order as PDF',
    description:
      'Returns all tickets that are not refunded, two on a page of A4. `locale` sets the language. By default the currency of the order decides the language. The same tickets always give the same ETag. Returns 409 `wrong_state` if the order has no tickets, for example because it is not paid. Names and titles can have Latin, Greek and Cyrillic letters. Letters of other scripts are printed as Latin letters.',
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: TicketFileQuery,
    sends: ['application/pdf'],
    answer: { status: 200 },
    problems: ['wrong_state'],
    concurrency: 4,
    examples: { params: { id: 1001 }, query: { locale: 'en' } },
  }),
  getOrderCalendar: route({
    method: 'GET',
    path: '/orders/{id}/calendar.ics',
    group: 'shop',
    summary: 'Get the sessions of an order as a calendar file',
    description:
      'Returns an iCalendar file (RFC 5545) with an entry for each session that the order has valid tickets for. Times are in UTC. A calendar that reads the file again updates its entries. `locale` sets the language. Returns 409 `wrong_state` if the order has no tickets.',
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: TicketFileQuery,
    sends: ['text/calendar'],
    answer: { status: 200 },
    problems: ['wrong_state'],
    examples: { params: { id: 1001 }, query: { locale: 'en' } },
  }),
  resendTickets: route({
    method: 'POST',
    path: '/orders/{id}/tickets/mail',
    group: 'shop',
    summary: 'Mail the tickets again',
    description:
      "Queues a mail with the valid tickets to the buyer's address. An order can be mailed once a minute and five times a day; further requests return 429 with `Retry-After`. `locale` sets the language of the mail. By default it is the language in which the buyer ordered (`Accept-Language`), or else the currency of the order decides.",
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: SecretQuery,
    body: Resend,
    answer: { status: 202 },
    problems: ['wrong_state'],
    examples: { params: { id: 1001 }, body: { locale: 'en' } },
  }),
};
