import type Stripe from 'stripe';
import type { ProviderNotice } from '../port.ts';
import { apiVersion, listAll, type StripeApi, seconds } from './client.ts';
import { providerError } from './errors.ts';
import { eventTypes, noticeOf } from './notices.ts';

/** Stripe lists the newest events first. Only the events of one window are kept in memory to reverse them. */
const windowSeconds = 3600;

/** Stripe lists the events of the last 30 days. */
export async function* changesSince(api: StripeApi, since: Date, signal: AbortSignal): AsyncGenerator<ProviderNotice> {
  try {
    const { data } = await api.send(signal, (client) => client.events.list({ types: eventTypes, limit: 1 }));
    const newest = data[0]?.created ?? 0;
    for (let from = seconds(since); from <= newest; from += windowSeconds) yield* changesOfWindow(api, from, signal);
  } catch (error) {
    throw providerError(error);
  }
}

async function* changesOfWindow(api: StripeApi, from: number, signal: AbortSignal): AsyncGenerator<ProviderNotice> {
  const filters = { types: eventTypes, created: { gte: from, lt: from + windowSeconds } };
  const events: Stripe.Event[] = [];
  for await (const event of listAll(api, signal, (client, page) => client.events.list({ ...filters, ...page }))) events.push(event);
  for (const event of events.toReversed()) yield noticeOf(await inOurVersion(api, event, signal), api.publishableKey);
}

/** Listed events have the API version that the account had when they happened. If it is not ours, the object is read again. */
export async function inOurVersion(api: StripeApi, event: Stripe.Event, signal: AbortSignal): Promise<Stripe.Event> {
  if (event.api_version === apiVersion) return event;
  const { object: kind, id } = event.data.object as { object: string; id: string };
  const read: Record<string, (client: Stripe) => Promise<object>> = {
    payment_intent: (client) => client.paymentIntents.retrieve(id),
    refund: (client) => client.refunds.retrieve(id),
    dispute: (client) => client.disputes.retrieve(id),
  };
  const request = read[kind];
  return request ? ({ ...event, data: { object: await api.send(signal, request) } } as Stripe.Event) : event;
}
