import Stripe from 'stripe';
import { defaultSecretKey } from './stand-in.ts';
import { apiVersion } from './state.ts';

export const webhookSecret = 'whsec_test_secret_of_the_service';

/** Settings of a service that takes payments with Stripe. Without STRIPE_API_BASE no request can reach a provider. */
export const stripeSettings = {
  PAYMENTS: 'stripe,cash',
  STRIPE_SECRET_KEY: defaultSecretKey,
  STRIPE_PUBLISHABLE_KEY: 'pk_test_tessera',
  STRIPE_WEBHOOK_SECRET: webhookSecret,
  STRIPE_API_BASE: 'http://127.0.0.1:9',
};

let events = 0;

/** An event of Stripe that changes no payment. */
export const harmlessEvent = () => ({
  id: `evt_harmless_${++events}`,
  object: 'event',
  api_version: apiVersion,
  type: 'customer.created',
  livemode: false,
  data: { object: { object: 'customer' } },
});

/** The header with which Stripe signs a delivery. */
export const signatureOf = (payload: string, at: Date, secret = webhookSecret): string =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(at.getTime() / 1000) });
