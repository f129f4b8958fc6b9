import Stripe from 'stripe';
import { InvalidNotice, type ProviderNotice } from '../port.ts';
import { apiVersion, type StripeApi } from './client.ts';
import { disputeOf } from './disputes.ts';
import { paymentOf } from './payment-state.ts';
import { refundOf } from './refunds.ts';

/** The events that change a payment, a refund or a dispute. A webhook endpoint at Stripe needs exactly these. */
export const eventTypes = [
  'payment_intent.canceled',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.requires_action',
  'payment_intent.succeeded',
  'refund.created',
  'refund.failed',
  'refund.updated',
  'charge.dispute.closed',
  'charge.dispute.created',
  'charge.dispute.funds_reinstated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.updated',
];

/** Stripe signs each delivery with its own time. Older ones may be replayed by a third party. */
const maxAgeSeconds = 300;

export function readNotice(api: StripeApi, raw: Buffer, headers: Record<string, string | undefined>, receivedAt: Date): ProviderNotice {
  const event = verifiedEvent(api, raw, headers['stripe-signature'] ?? '', receivedAt);
  if (!event || typeof event.id !== 'string' || typeof event.type !== 'string')
    throw new InvalidNotice('The notice is not a Stripe event.');
  if (event.livemode !== api.isLive) {
    throw new InvalidNotice(`The notice is from ${event.livemode ? 'live' : 'test'} mode, but the secret key is not.`);
  }
  if (event.api_version !== apiVersion) {
    throw new InvalidNotice(
      `The notice has the API version ${event.api_version}. Set the version of the webhook endpoint to ${apiVersion}.`,
    );
  }
  return noticeOf(event, api.publishableKey);
}

function verifiedEvent(api: StripeApi, raw: Buffer, signature: string, receivedAt: Date): Stripe.Event {
  try {
    return api.client.webhooks.constructEvent(raw, signature, api.webhookSecret, maxAgeSeconds, undefined, receivedAt.getTime());
  } catch (error) {
    if (error instanceof SyntaxError) throw new InvalidNotice('The notice is not JSON.');
    const isOld = error instanceof Stripe.errors.StripeSignatureVerificationError && error.message.startsWith('Timestamp');
    throw new InvalidNotice(isOld ? 'The signature of the notice is too old.' : 'The signature of the notice is wrong.');
  }
}

export function noticeOf(event: Stripe.Event, publishableKey: string): ProviderNotice {
  const { id, type, account = null } = event;
  const notice = { id, type, account };
  // All payments belong to the platform. The owner of a connected account could create payments with our references there.
  if (account !== null || !eventTypes.includes(type)) return { ...notice, about: 'nothing' };
  return { ...notice, ...contentOf(event.data.object, publishableKey) };
}

type About<A extends ProviderNotice['about']> = Omit<Extract<ProviderNotice, { about: A }>, 'id' | 'type' | 'account'>;
type Content = About<'payment'> | About<'refund'> | About<'dispute'> | About<'nothing'>;

function contentOf(object: Stripe.Event.Data.Object, publishableKey: string): Content {
  const { object: kind } = object as { object?: string };
  if (kind === 'payment_intent') return { about: 'payment', payment: paymentOf(object as Stripe.PaymentIntent, publishableKey) };
  const refund = kind === 'refund' ? refundOf(object as Stripe.Refund) : null;
  if (refund) return { about: 'refund', refund };
  const dispute = kind === 'dispute' ? disputeOf(object as Stripe.Dispute) : null;
  if (dispute) return { about: 'dispute', dispute };
  return { about: 'nothing' };
}
