import Type, { type Static } from 'typebox';
import { itemTypes } from '../catalog/item-schemas.ts';
import { permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { Currency, closed, Id, Instant, named, nullable, oneOf, WallClock } from '../kernel/schema.ts';
import { figures } from './figures-contract.ts';

const Units = Type.Integer({ minimum: 0 });
const spans = ['hour', 'day'] as const;
export type Span = (typeof spans)[number];

const DashboardItem = named('DashboardItem', {
  itemId: Id,
  name: Type.String(),
  type: oneOf(itemTypes),
  archived: Type.Boolean(),
  quantity: nullable(Type.Integer({ description: 'Null if the item has no limit of its own' })),
  held: Type.Integer({ minimum: 0, description: 'Tickets in orders that are not paid yet' }),
  left: nullable(
    Type.Integer({ description: 'Tickets left of the item, or of its group if fewer are left there. Null if neither has a limit' }),
  ),
  ...figures,
});

const DashboardActivity = named('DashboardActivity', {
  id: Id,
  at: Instant,
  operation: Type.String({ description: 'The `operationId` of the request, or the name of a background job' }),
  actor: closed({
    kind: oneOf(['anonymous', 'device', 'system', 'user'], { description: '`anonymous`: a buyer. `system`: a job or command' }),
    id: nullable(Id),
    name: nullable(Type.String({ description: 'The name of the user, job or command' })),
  }),
  subject: Type.String({ description: 'The kind of the changed object', examples: ['order'] }),
  subjectId: Type.String(),
});

const Dashboard = named('Dashboard', {
  eventId: Id,
  currency: Currency,
  timezone: Type.String(),
  totals: closed({ held: Units, left: nullable(Type.Integer()), ...figures }),
  items: Type.Array(DashboardItem),
  channels: Type.Array(closed({ appCategoryId: Type.Integer(), ...figures })),
  sales: closed({
    by: oneOf(spans),
    since: WallClock,
    buckets: Type.Array(
      closed({
        start: WallClock,
        tickets: Type.Integer({ minimum: 0, description: 'Tickets sold or given away. Refunds are not subtracted' }),
        paid: Type.Integer({ minimum: 0, description: 'What buyers paid, in cents. Refunds are not subtracted' }),
      }),
      { description: 'Hours or days with sales, oldest first. Hours and days without sales are left out' },
    ),
  }),
  conversion: closed({
    ordered: Type.Integer({ minimum: 0, description: 'Tickets in orders that were placed since `sales.since`' }),
    paid: Type.Integer({ minimum: 0, description: 'Tickets in orders that were approved since `sales.since`' }),
    percent: nullable(
      Type.Number({
        description: 'The share of the ordered tickets that were paid, without tickets that are held now. Null without orders',
      }),
    ),
  }),
  entries: closed({
    tickets: Units,
    checked: Units,
    percent: Type.Number(),
    inside: Units,
  }),
  activity: Type.Array(DashboardActivity, { description: 'The latest changes, newest first' }),
});
export type Dashboard = Static<typeof Dashboard>;

const exampleFigures = {
  sold: 120,
  courtesy: 4,
  refunded: 2,
  gross: 960_000,
  feeSale: 96_000,
  feeProducer: 0,
  net: 960_000,
  paid: 1_056_000,
};

export const dashboardContract = {
  getDashboard: route({
    method: 'GET',
    path: '/event/{id}/dashboard',
    group: 'event',
    summary: 'Get the figures of an event at a glance',
    description:
      'Returns what was sold, held and earned so far, by item and by sales channel, the sales of the last 7 days by hour or of the last 90 days by day (`by=day`), how many ordered tickets were paid, how many guests have entered, and the latest 20 changes. Times of the chart are local times of the event. The response has an ETag: send it as `If-None-Match` to poll, and the response is 304 while nothing changes.',
    access: permitted('report.read', { event: 'path.id' }),
    params: Type.Object({ id: Id }),
    query: Type.Object({ by: Type.Optional(oneOf(spans)) }),
    replica: true,
    answer: { status: 200, body: Dashboard },
    examples: {
      params: { id: 12 },
      query: { by: 'hour' },
      answer: {
        eventId: 12,
        currency: 'BRL',
        timezone: 'America/Sao_Paulo',
        totals: { held: 6, left: 270, ...exampleFigures },
        items: [{ itemId: 42, name: '2º lote', type: 'ticket', archived: false, quantity: 400, held: 6, left: 270, ...exampleFigures }],
        channels: [{ appCategoryId: 1, ...exampleFigures }],
        sales: { by: 'hour', since: '2026-11-13 10:00:00', buckets: [{ start: '2026-11-20 09:00:00', tickets: 12, paid: 105_600 }] },
        conversion: { ordered: 140, paid: 126, percent: 94.03 },
        entries: { tickets: 124, checked: 0, percent: 0, inside: 0 },
        activity: [
          {
            id: 901,
            at: '2026-11-20T13:02:00.000Z',
            operation: 'payOrder',
            actor: { kind: 'anonymous', id: null, name: null },
            subject: 'order',
            subjectId: '1001',
          },
        ],
      },
    },
  }),
};
