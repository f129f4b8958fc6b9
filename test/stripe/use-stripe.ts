import type Stripe from 'stripe';
import { beforeAll } from 'vitest';
import type { PaymentProvider } from '../../src/payments/providers/port.ts';
import { createApi } from '../../src/payments/providers/stripe/client.ts';
import { createStripe } from '../../src/payments/providers/stripe/stripe.ts';
import { useStandIn } from './use-stand-in.ts';

/** The adapter of the service, and a client for what the buyer does. */
export interface StripeUnderTest {
  provider: PaymentProvider;
  client: Stripe;
}

/** Uses Stripe's test mode if STRIPE_TEST_KEY is set, and the stand-in otherwise. */
export function useStripe(): StripeUnderTest {
  const testKey = process.env.STRIPE_TEST_KEY;
  if (testKey && !/^(sk|rk)_test_/.test(testKey)) throw new Error('STRIPE_TEST_KEY must be a key of the test mode: sk_test_… or rk_test_…');
  const standIn = testKey ? null : useStandIn();
  const underTest = {} as StripeUnderTest;
  beforeAll(() => {
    const settings = {
      secretKey: testKey ?? standIn?.secretKey ?? '',
      publishableKey: 'pk_test_tessera',
      webhookSecret: 'whsec_test_secret_of_the_adapter',
      apiBase: standIn?.origin ?? null,
      methods: ['card'] as const,
      timeoutMs: 60_000,
    };
    underTest.provider = createStripe(settings);
    underTest.client = createApi(settings).client;
  });
  return underTest;
}
