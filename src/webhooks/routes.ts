import { type Capability, capability } from '../http/capability.ts';
import { createWebhook, deleteWebhook, getWebhook, listWebhooks, rotateWebhookSecret, updateWebhook } from './change-webhooks.ts';
import { webhooksContract } from './contract.ts';
import { getDelivery, listDeliveries, replayWebhook, sendDeliveryAgain, testWebhook, type WebhookKey } from './deliveries.ts';
import { type FeedSettings, listChanges } from './list-changes.ts';

export interface WebhookSettings extends FeedSettings {
  /** Whether private addresses and plain HTTP are allowed. */
  allowPrivate: boolean;
}

const keyOf = ({ id, webhookId }: { id: number; webhookId: number }): WebhookKey => ({ producerId: id, id: webhookId });

export const webhooks = (settings: WebhookSettings): Capability =>
  capability(webhooksContract, {
    createWebhook: (tx, act, { params, body }) => createWebhook(tx, act, params.id, body, settings.allowPrivate),
    listWebhooks: (tx, act, { params, query }) => listWebhooks(tx, act, params.id, query),
    getWebhook: (tx, act, { params }) => getWebhook(tx, act, params.id, params.webhookId),
    updateWebhook: (tx, act, { params, body }) => updateWebhook(tx, act, keyOf(params), body, settings.allowPrivate),
    deleteWebhook: (tx, act, { params }) => deleteWebhook(tx, act, params.id, params.webhookId),
    rotateWebhookSecret: (tx, act, { params }) => rotateWebhookSecret(tx, act, params.id, params.webhookId),
    replayWebhook: (tx, act, { params, body }) => replayWebhook(tx, act, keyOf(params), body, settings),
    testWebhook: (tx, act, { params }) => testWebhook(tx, act, keyOf(params)),
    listDeliveries: (tx, _act, { params, query }) => listDeliveries(tx, keyOf(params), query),
    getDelivery: (tx, act, { params }) => getDelivery(tx, act, keyOf(params), params.deliveryId, settings.testMoney),
    sendDeliveryAgain: (tx, act, { params }) => sendDeliveryAgain(tx, act, keyOf(params), params.deliveryId),
    listChanges: (tx, act, { params, query }) => listChanges(tx, act, params.id, query, settings),
  });
