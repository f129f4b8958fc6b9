import type Stripe from 'stripe';
import type { BuyerAction, ProviderPayment } from '../port.ts';

/** With these fields a response contains the fee. Notices do not have them. */
export const expandFee = ['latest_charge.balance_transaction'];

export function paymentOf(intent: Stripe.PaymentIntent, publishableKey: string): ProviderPayment {
  const status = statusOf(intent);
  return {
    reference: intent.metadata.reference ?? null,
    providerId: intent.id,
    status,
    amount: intent.amount,
    received: status === 'paid' ? intent.amount_received : 0,
    fee: status === 'paid' ? chargeFee(intent) : null,
    action: status === 'open' ? actionOf(intent, publishableKey) : null,
    failure: status === 'failed' ? failureOf(intent) : null,
  };
}

function statusOf(intent: Stripe.PaymentIntent): ProviderPayment['status'] {
  if (intent.status === 'succeeded') return 'paid';
  if (intent.status === 'canceled') return 'failed';
  // After a declined card the buyer can try another card with the same intent. Only the server can confirm the other methods, and it
  // does so once.
  const isFinal = intent.status === 'requires_payment_method' && intent.last_payment_error !== null && !isForClient(intent);
  return isFinal ? 'failed' : 'open';
}

/** The web component confirms card payments. */
const isForClient = ({ payment_method_types: types }: Stripe.PaymentIntent): boolean => types.includes('card');

function actionOf(intent: Stripe.PaymentIntent, publishableKey: string): BuyerAction | null {
  // The bank has the money already, so the buyer must not pay again.
  if (intent.status === 'processing') return null;
  const { pix_display_qr_code: pix, boleto_display_details: boleto } = intent.next_action ?? {};
  if (pix?.data) return { type: 'display', code: pix.data, imageUrl: pix.image_url_png ?? null };
  if (boleto?.hosted_voucher_url) return { type: 'redirect', url: boleto.hosted_voucher_url };
  if (isForClient(intent) && intent.client_secret) {
    return { type: 'client', publishableKey, clientSecret: intent.client_secret };
  }
  return null;
}

const failures: Record<string, string> = {
  payment_intent_payment_attempt_expired: 'The code expired before it was paid.',
  payment_intent_authentication_failure: 'The bank could not confirm the identity of the buyer.',
};

function failureOf({ status, last_payment_error: error }: Stripe.PaymentIntent): string {
  const known = failures[error?.code ?? ''];
  if (known) return known;
  // Stripe writes the messages of card errors for the buyer, and all others for developers.
  if (error?.type === 'card_error' && error.message) return error.message;
  return status === 'canceled' ? 'The payment was canceled.' : 'The payment failed.';
}

/** Null until Stripe has settled the charge, which may be some seconds after the payment. */
function chargeFee({ latest_charge: charge, currency }: Stripe.PaymentIntent): number | null {
  const transaction = typeof charge === 'object' ? charge?.balance_transaction : null;
  if (!transaction || typeof transaction === 'string') return null;
  const ownShare = transaction.fee_details.filter(({ type }) => type === 'application_fee');
  return inCurrency(currency, transaction, transaction.fee - ownShare.reduce((sum, { amount }) => sum + amount, 0));
}

/** The fee is in the currency of the Stripe account, which may differ from the currency of the payment. */
export function inCurrency(currency: string, transaction: Stripe.BalanceTransaction, fee: number): number {
  const { currency: settled, exchange_rate: rate } = transaction;
  return settled === currency || !rate ? fee : Math.round(fee / rate);
}
