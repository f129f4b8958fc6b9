import type Stripe from 'stripe';
import { beforeAll } from 'vitest';
import type { PaymentProvider, PaymentToStart, ProviderPayment } from '../../src/payments/providers/port.ts';
import type { StripeConfig } from '../../src/payments/providers/stripe/client.ts';
import { createStripe } from '../../src/payments/providers/stripe/stripe.ts';
import type { StandIn } from './stand-in.ts';
import { useStandIn } from './use-stand-in.ts';

/** The stand-in has a fixed clock, so that the tests know the times of its objects. */
export const startOfTest = new Date('2026-11-20T12:00:00Z');
export const webhookSecret = 'whsec_test_secret_of_the_adapter';
export const never = new AbortController().signal;
export const minutesLater = (minutes: number): Date => new Date(startOfTest.getTime() + minutes * 60_000);

interface Adapter {
  standIn: StandIn;
  provider: PaymentProvider;
  create(changes?: Partial<StripeConfig>): PaymentProvider;
  /** All intents of a reference. More than one means that a buyer can pay twice. */
  intentsOf(reference: string): Promise<Stripe.PaymentIntent[]>;
}

/** Starts a stand-in, and the adapter of the service for it. */
export function useAdapter(): Adapter {
  const methods = ['card', 'pix', 'boleto'] as const;
  const standIn = useStandIn({ accounts: ['acct_producer'], clock: () => startOfTest });
  const adapter = { standIn } as Adapter;
  beforeAll(() => {
    const { secretKey, origin: apiBase } = standIn;
    const config = { secretKey, webhookSecret, publishableKey: 'pk_test_tessera', apiBase, timeoutMs: 60_000, methods } as const;
    adapter.create = (changes) => createStripe({ ...config, ...changes });
    adapter.provider = adapter.create();
    adapter.intentsOf = async (reference) => {
      const intents = await standIn.client().paymentIntents.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });
      return intents.filter(({ metadata }) => metadata.reference === reference);
    };
  });
  return adapter;
}

const buyer = { name: 'Ana Souza', email: 'ana@example.com', document: '529.982.247-25' };

let references = 0;

export const newPayment = (changes: Partial<PaymentToStart> = {}): PaymentToStart => ({
  reference: `REFERENCE${++references}`,
  method: 'card',
  amount: 10_000,
  currency: 'BRL',
  expiresAt: minutesLater(15),
  eventId: 7,
  orderId: 42,
  description: 'Order 42',
  buyer,
  payout: null,
  ...changes,
});

/** Starts a payment and lets the buyer pay it. */
export async function startPaid({ standIn, provider }: Adapter, changes: Partial<PaymentToStart> = {}): Promise<ProviderPayment> {
  const started = await provider.start(newPayment(changes), never);
  if (changes.method === 'pix') standIn.payPix(started.providerId);
  else standIn.confirm(started.providerId, { paymentMethod: 'pm_card_visa' });
  return started;
}
