import Stripe from 'stripe';
import { type PaymentToStart, type ProviderPayment, ProviderRefusal } from '../port.ts';
import { type StripeApi, seconds } from './client.ts';
import { isUndecided } from './errors.ts';
import { cancelPayment, findByReference, readPayment } from './find-payment.ts';
import { expandFee, paymentOf } from './payment-state.ts';

/** No payment of the service stays open for longer, so a payment was started at most this long before it expires. */
const longestPaymentMs = 2 * 3600 * 1000;

/**
 * Creates a PaymentIntent with the reference as idempotency key. The web component confirms card payments. The others are confirmed
 * at once, so that the response has the code to pay.
 */
export async function startPayment(api: StripeApi, payment: PaymentToStart, signal: AbortSignal): Promise<ProviderPayment> {
  const { reference, method } = payment;
  try {
    const intent = await api.send(signal, (client) => client.paymentIntents.create(parametersOf(payment), { idempotencyKey: reference }));
    // A repeated request gets the first response again. The payment may have changed since then.
    if (intent.lastResponse.headers['idempotent-replayed']) return await readPayment(api, intent.id, signal);
    if (intent.payment_method_types.includes(method)) return paymentOf(intent, api.publishableKey);
    await cancelPayment(api, intent.id, signal);
  } catch (error) {
    return await recover(api, payment, error, signal);
  }
  throw new ProviderRefusal(`This Stripe account does not accept ${method}.`);
}

async function recover(api: StripeApi, payment: PaymentToStart, error: unknown, signal: AbortSignal): Promise<ProviderPayment> {
  if (error instanceof Stripe.errors.StripeCardError && error.payment_intent) {
    return { ...paymentOf(error.payment_intent, api.publishableKey), status: 'failed', action: null, failure: error.message };
  }
  if (!isUndecided(error)) throw error;
  const startedAt = new Date(payment.expiresAt.getTime() - longestPaymentMs);
  const found = await findByReference(api, payment.reference, startedAt, signal);
  if (!found) throw error;
  return found;
}

/** The parameters depend only on the payment. Stripe refuses a repeated request with other parameters. */
function parametersOf(payment: PaymentToStart): Stripe.PaymentIntentCreateParams {
  const { reference, method, amount, currency, eventId, orderId, description, payout } = payment;
  return {
    amount,
    currency: currency.toLowerCase(),
    allowed_payment_method_types: [method],
    metadata: { reference, event: String(eventId), order: String(orderId) },
    expand: expandFee,
    ...(description && { description: description.slice(0, 1000) }),
    ...confirmationOf(payment),
    ...(payout && {
      on_behalf_of: payout.account,
      transfer_data: { destination: payout.account },
      ...(payout.platformFee > 0 && { application_fee_amount: payout.platformFee }),
    }),
  };
}

function confirmationOf(payment: PaymentToStart): Partial<Stripe.PaymentIntentCreateParams> {
  if (payment.method === 'card') return {};
  if (payment.method === 'boleto') return boletoConfirmation(payment);
  const { name, email, document } = payment.buyer;
  return {
    confirm: true,
    payment_method_data: {
      type: 'pix',
      billing_details: { ...(name && { name }), ...(email && { email }), ...(document && { tax_id: document }) },
    },
    payment_method_options: { pix: { expires_at: seconds(payment.expiresAt) } },
  };
}

function boletoConfirmation({ buyer: { name, email, document, address } }: PaymentToStart): Partial<Stripe.PaymentIntentCreateParams> {
  const required = { name, email, 'CPF or CNPJ': document, address };
  const missing = Object.entries(required).filter(([, value]) => !value);
  if (missing.length > 0 || !document || !address) {
    throw new ProviderRefusal(`A boleto needs these details of the buyer: ${missing.map(([field]) => field).join(', ')}.`);
  }
  const { line1, city, state, postalCode, country } = address;
  return {
    confirm: true,
    payment_method_data: {
      type: 'boleto',
      boleto: { tax_id: document },
      billing_details: { name, email, address: { line1, city, state, postal_code: postalCode, country } },
    },
    // Zero days is the shortest time: until the end of the day in São Paulo.
    payment_method_options: { boleto: { expires_after_days: 0 } },
  };
}
