import Type, { type Static } from 'typebox';
import { permitted } from '../kernel/access.ts';
import { changeTypes } from '../kernel/change-types.ts';
import { route } from '../kernel/route.ts';
import { Id, Instant, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';

const deliveryStatuses = ['pending', 'delivered', 'parked'] as const;

const delivery = {
  id: Id,
  messageId: Type.String({
    description: 'The header `webhook-id`. It is the same for all deliveries of a change, so receivers can deduplicate with it',
  }),
  type: oneOf([...changeTypes, 'webhook.test']),
  eventId: nullable(Id),
  subject: Type.String({ description: 'The object that changed, for example `order/1001`' }),
  changedAt: Instant,
  status: oneOf(deliveryStatuses, {
    description: '`pending`: it is still to be delivered. `parked`: it failed for 3 days and is not tried again',
  }),
  attempts: Type.Integer({ minimum: 0 }),
  nextAttemptAt: nullable(Instant),
  createdAt: Instant,
  attemptedAt: nullable(Instant),
  durationMs: nullable(Type.Integer({ minimum: 0, description: 'How long the last attempt took' })),
  responseStatus: nullable(Type.Integer({ description: 'The HTTP status of the last response. Null if none arrived' })),
  response: nullable(Type.String({ description: 'The start of the last response, at most 1 kB' })),
  error: nullable(Type.String({ description: 'Why the last attempt failed' })),
};
const Delivery = named('WebhookDelivery', delivery);
export type Delivery = Static<typeof Delivery>;

const DeliveryDetails = named('WebhookDeliveryDetails', {
  ...delivery,
  url: Type.String(),
  body: Type.String({
    description: 'The body of the request as it would be sent now. Sent bodies are not stored, because they contain personal data',
  }),
});
export type DeliveryDetails = Static<typeof DeliveryDetails>;

const DeliveryQuery = Type.Object({ ...pageQuery, status: Type.Optional(oneOf(deliveryStatuses)) });
export type DeliveryQuery = Static<typeof DeliveryQuery>;

const exampleDelivery = {
  id: 301,
  messageId: 'msg_5120',
  type: 'order.approved',
  eventId: 12,
  subject: 'order/1001',
  changedAt: '2026-11-20T13:00:00.000Z',
  status: 'delivered',
  attempts: 1,
  nextAttemptAt: null,
  createdAt: '2026-11-20T13:00:00.200Z',
  attemptedAt: '2026-11-20T13:00:00.320Z',
  durationMs: 84,
  responseStatus: 200,
  response: 'ok',
  error: null,
};
const exampleTest = {
  ...exampleDelivery,
  id: 302,
  messageId: 'test_302',
  type: 'webhook.test',
  eventId: null,
  subject: 'test',
  status: 'pending',
  attempts: 0,
  nextAttemptAt: '2026-11-20T13:05:00.000Z',
  attemptedAt: null,
  durationMs: null,
  responseStatus: null,
  response: null,
};

const webhookParams = Type.Object({ id: Id, webhookId: Id });
const deliveryParams = Type.Object({ id: Id, webhookId: Id, deliveryId: Id });
const access = permitted('webhook.manage', { producer: 'path.id' });

export const deliveryContract = {
  testWebhook: route({
    method: 'POST',
    path: '/producers/{id}/webhooks/{webhookId}/test',
    group: 'account',
    summary: 'Send a test message',
    description:
      'Queues a message of the type `webhook.test`. The worker sends it within a second. `GET …/deliveries/{deliveryId}` shows the result. Returns 409 if the webhook is paused.',
    access,
    params: webhookParams,
    answer: { status: 202, body: Delivery },
    problems: ['wrong_state'],
    examples: { params: { id: 1, webhookId: 5 }, answer: exampleTest },
  }),
  listDeliveries: route({
    method: 'GET',
    path: '/producers/{id}/webhooks/{webhookId}/deliveries',
    group: 'account',
    summary: 'List the deliveries of a webhook',
    description:
      'Returns the delivery log, newest first. A delivery shows its last attempt. Old deliveries are deleted (`RETENTION_CHANGE_DAYS`).',
    access,
    params: webhookParams,
    query: DeliveryQuery,
    answer: { status: 200, body: pageOf(Delivery) },
    examples: { params: { id: 1, webhookId: 5 }, query: { status: 'delivered' }, answer: { data: [exampleDelivery], nextCursor: null } },
  }),
  getDelivery: route({
    method: 'GET',
    path: '/producers/{id}/webhooks/{webhookId}/deliveries/{deliveryId}',
    group: 'account',
    summary: 'Get a delivery with its request',
    description: 'Also returns the address and the body of the request, as it would be sent now.',
    access,
    params: deliveryParams,
    answer: { status: 200, body: DeliveryDetails },
    examples: {
      params: { id: 1, webhookId: 5, deliveryId: 301 },
      answer: {
        ...exampleDelivery,
        url: 'https://crm.example/tessera',
        body: '{"type":"order.approved","timestamp":"2026-11-20T13:00:00.000Z","version":1,"data":{"id":1001}}',
      },
    },
  }),
  sendDeliveryAgain: route({
    method: 'POST',
    path: '/producers/{id}/webhooks/{webhookId}/deliveries/{deliveryId}/again',
    group: 'account',
    summary: 'Send a delivery again',
    description:
      'Queues the same change as a new delivery, with the same `webhook-id` and the current content of the object. Returns 409 if the webhook is paused, or if the delivery is still pending.',
    access,
    params: deliveryParams,
    answer: { status: 202, body: Delivery },
    problems: ['wrong_state'],
    examples: { params: { id: 1, webhookId: 5, deliveryId: 301 }, answer: { ...exampleDelivery, id: 303 } },
  }),
};
