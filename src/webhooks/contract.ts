import Type, { type Static } from 'typebox';
import { permitted } from '../kernel/access.ts';
import { changeTypes } from '../kernel/change-types.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';
import { changeContract, Since } from './change-contract.ts';
import { deliveryContract } from './delivery-contract.ts';

export type { ChangeQuery, Changes } from './change-contract.ts';
export type { Delivery, DeliveryDetails, DeliveryQuery } from './delivery-contract.ts';

const Url = Type.String({
  maxLength: 2000,
  pattern: '^https?://[^\\s<>"@]+$',
  description: 'An HTTPS address on the public internet, without user name',
  examples: ['https://crm.example/tessera'],
});
const Types = Type.Array(oneOf(changeTypes), {
  minItems: 1,
  maxItems: changeTypes.length,
  uniqueItems: true,
  description: 'The types of changes that are delivered',
});

const webhook = {
  id: Id,
  url: Type.String(),
  types: Type.Array(oneOf(changeTypes)),
  paused: Type.Boolean({ description: 'Nothing is sent while the webhook is paused. Later it continues with the changes of that time' }),
  failingSince: nullable({ ...Instant, description: 'Since when the address does not respond. Null if it responds' }),
  oldSecretUntil: nullable({ ...Instant, description: 'Until when the previous secret signs too' }),
  createdAt: Instant,
  updatedAt: Instant,
};
const Webhook = named('Webhook', webhook);
export type Webhook = Static<typeof Webhook>;

const Secret = Type.String({ description: 'Signs the messages. Returned only here: store it now.', examples: ['whsec_…'] });
const WebhookWithSecret = named('WebhookWithSecret', { ...webhook, secret: Secret });
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

const NewWebhook = closed({ url: Url, types: Types });
export type NewWebhook = Static<typeof NewWebhook>;

const WebhookChanges = closed(
  { url: Type.Optional(Url), types: Type.Optional(Types), paused: Type.Optional(Type.Boolean()) },
  { minProperties: 1 },
);
export type WebhookChanges = Static<typeof WebhookChanges>;

const ReplayStart = Type.Object(
  { since: Type.Optional(Since), from: Type.Optional({ ...Instant, description: 'Replays the changes since this time' }) },
  { additionalProperties: false, minProperties: 1, maxProperties: 1 },
);
export type ReplayStart = Static<typeof ReplayStart>;

const exampleWebhook = {
  id: 5,
  url: 'https://crm.example/tessera',
  types: ['order.approved', 'order.refunded'],
  paused: false,
  failingSince: null,
  oldSecretUntil: null,
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
};
const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

const producerParams = Type.Object({ id: Id });
const webhookParams = Type.Object({ id: Id, webhookId: Id });
const access = permitted('webhook.manage', { producer: 'path.id' });
const examples = { params: { id: 1, webhookId: 5 } };

export const webhooksContract = {
  createWebhook: route({
    method: 'POST',
    path: '/producers/{id}/webhooks',
    group: 'account',
    summary: 'Create a webhook',
    description:
      'Changes that are committed from now on are sent to the address, signed as Standard Webhooks describes. The secret is returned only here. A producer can have at most 20 webhooks. `docs/webhooks.md` describes messages, retries and signatures.',
    access,
    params: producerParams,
    body: NewWebhook,
    answer: { status: 201, body: WebhookWithSecret },
    problems: ['rule_violation'],
    examples: {
      params: { id: 1 },
      body: { url: exampleWebhook.url, types: exampleWebhook.types },
      answer: { ...exampleWebhook, secret: exampleSecret },
    },
  }),
  listWebhooks: route({
    method: 'GET',
    path: '/producers/{id}/webhooks',
    group: 'account',
    summary: 'List the webhooks of a producer',
    description: 'Returns all webhooks of the producer, without their secrets.',
    access,
    params: producerParams,
    query: Type.Object(pageQuery),
    answer: { status: 200, body: pageOf(Webhook) },
    examples: { params: { id: 1 }, answer: { data: [exampleWebhook], nextCursor: null } },
  }),
  getWebhook: route({
    method: 'GET',
    path: '/producers/{id}/webhooks/{webhookId}',
    group: 'account',
    summary: 'Get a webhook',
    description: 'Returns one webhook, without its secret.',
    access,
    params: webhookParams,
    answer: { status: 200, body: Webhook },
    examples: { ...examples, answer: exampleWebhook },
  }),
  updateWebhook: route({
    method: 'PUT',
    path: '/producers/{id}/webhooks/{webhookId}',
    group: 'account',
    summary: 'Update a webhook',
    description:
      'Changes only the fields that are present. New types apply to changes that are not queued yet. A new address also gets what is pending.',
    access,
    params: webhookParams,
    body: WebhookChanges,
    answer: { status: 200, body: Webhook },
    problems: ['rule_violation'],
    examples: { ...examples, body: { paused: true }, answer: { ...exampleWebhook, paused: true } },
  }),
  deleteWebhook: route({
    method: 'DELETE',
    path: '/producers/{id}/webhooks/{webhookId}',
    group: 'account',
    summary: 'Delete a webhook',
    description: 'Also deletes its delivery log. What is pending is not sent.',
    access,
    params: webhookParams,
    answer: { status: 204 },
    examples,
  }),
  rotateWebhookSecret: route({
    method: 'POST',
    path: '/producers/{id}/webhooks/{webhookId}/secret',
    group: 'account',
    summary: 'Replace the secret of a webhook',
    description:
      'Returns a new secret. For 24 hours messages are signed with both secrets, so that receivers can be updated without a gap.',
    access,
    params: webhookParams,
    answer: { status: 201, body: WebhookWithSecret },
    examples: { ...examples, answer: { ...exampleWebhook, oldSecretUntil: '2026-11-21T13:00:00.000Z', secret: exampleSecret } },
  }),
  replayWebhook: route({
    method: 'POST',
    path: '/producers/{id}/webhooks/{webhookId}/replay',
    group: 'account',
    summary: 'Replay changes to a webhook',
    description:
      'Delivers all changes again that came after `since` (a value of `next` from `GET /producers/{id}/changes`) or since the time `from`. They have the same `webhook-id` as before. Returns 410 `cursor_expired` if changes since then may already be deleted.',
    access,
    params: webhookParams,
    body: ReplayStart,
    answer: { status: 200, body: Webhook },
    problems: ['cursor_expired', 'wrong_state'],
    examples: { ...examples, body: { from: '2026-11-20T12:00:00.000Z' }, answer: exampleWebhook },
  }),
  ...deliveryContract,
  ...changeContract,
};
