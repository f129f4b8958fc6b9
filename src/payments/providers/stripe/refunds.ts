import type Stripe from 'stripe';
import type { ProviderRefund, RefundToFind, RefundToStart } from '../port.ts';
import { idOf, listAll, type StripeApi } from './client.ts';
import { isUndecided } from './errors.ts';

/** Null for a refund without a PaymentIntent, which the service did not start. */
export function refundOf(refund: Stripe.Refund): ProviderRefund | null {
  const paymentProviderId = idOf(refund.payment_intent);
  if (paymentProviderId === null) return null;
  const status = statusOf(refund);
  return {
    reference: refund.metadata?.reference ?? null,
    providerId: refund.id,
    paymentProviderId,
    status,
    amount: refund.amount,
    failure: status === 'failed' ? failureOf(refund) : null,
  };
}

function statusOf({ status }: Stripe.Refund): ProviderRefund['status'] {
  if (status === 'succeeded') return 'done';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'open';
}

const failures: Record<string, string> = {
  charge_for_pending_refund_disputed: 'The buyer disputed the payment.',
  declined: 'The bank of the buyer declined the refund.',
  expired_or_canceled_card: 'The card expired or was canceled.',
  insufficient_funds: 'The balance of the Stripe account is too low.',
  lost_or_stolen_card: 'The card was reported as lost or stolen.',
  merchant_request: 'The refund was canceled in the Stripe account.',
};

const failureOf = ({ status, failure_reason: reason = '' }: Stripe.Refund): string =>
  failures[reason] ?? (status === 'canceled' ? 'The refund was canceled.' : 'The refund failed.');

/** Refunds a payment once per reference, even if the last attempt is so long ago that Stripe has removed the idempotency key. */
export async function startRefund(api: StripeApi, refund: RefundToStart, signal: AbortSignal): Promise<ProviderRefund> {
  const earlier = await findRefund(api, refund, signal);
  if (earlier) return earlier;
  const intent = await api.send(signal, (client) => client.paymentIntents.retrieve(refund.paymentProviderId));
  try {
    const options = { idempotencyKey: refund.reference };
    return known(await api.send(signal, (client) => client.refunds.create(parametersOf(refund, intent), options)));
  } catch (error) {
    const found = isUndecided(error) ? await findRefund(api, refund, signal) : null;
    if (!found) throw error;
    return found;
  }
}

/** The money comes from where it is: the producer's share from the producer's account, and the platform's share from the platform. */
function parametersOf(refund: RefundToStart, intent: Stripe.PaymentIntent): Stripe.RefundCreateParams {
  const { event, order } = intent.metadata;
  const isTransferred = refund.payout && intent.transfer_data !== null;
  return {
    payment_intent: refund.paymentProviderId,
    amount: refund.amount,
    metadata: { reference: refund.reference, ...(event && { event }), ...(order && { order }) },
    ...(isTransferred && { reverse_transfer: true }),
    // Stripe refuses to refund an application fee of 0.
    ...(isTransferred && intent.application_fee_amount && { refund_application_fee: true }),
  };
}

export async function findRefund(api: StripeApi, refund: RefundToFind, signal: AbortSignal): Promise<ProviderRefund | null> {
  const { reference, paymentProviderId: id } = refund;
  for await (const each of listAll(api, signal, (client, page) => client.refunds.list({ payment_intent: id, ...page }))) {
    if (each.metadata?.reference === reference) return known(each);
  }
  return null;
}

function known(refund: Stripe.Refund): ProviderRefund {
  const result = refundOf(refund);
  if (!result) throw new Error(`The refund ${refund.id} has no payment.`);
  return result;
}
