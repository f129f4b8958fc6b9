import type Stripe from 'stripe';
import { addBalanceTransaction, feesOf } from './balance.ts';
import objects from './objects.json' with { type: 'json' };
import type { Caller, State } from './state.ts';
import { idOf, type MethodType } from './store.ts';

export interface Decline {
  code: string;
  declineCode: string;
  message: string;
}

const messages: Record<string, [code: string, message: string]> = {
  insufficient_funds: ['card_declined', 'Your card has insufficient funds.'],
  expired_card: ['expired_card', 'Your card has expired.'],
  incorrect_cvc: ['incorrect_cvc', "Your card's security code is incorrect."],
  processing_error: ['processing_error', 'An error occurred while processing your card. Try again in a little bit.'],
  authentication_required: ['authentication_required', 'Your card was declined. This transaction requires authentication.'],
};

/** Most decline codes have the error code `card_declined`. */
export function declineOf(declineCode: string): Decline {
  const [code, message] = messages[declineCode] ?? ['card_declined', 'Your card was declined.'];
  return { code, declineCode, message };
}

/** The method of the attempt is the payment method of the intent. */
export function methodOf(state: State, intent: Stripe.PaymentIntent): Stripe.PaymentMethod {
  const method = state.store.find('payment_method', idOf(intent.payment_method) ?? '')?.object;
  if (!method) throw new Error(`The payment intent ${intent.id} has no payment method.`);
  return method;
}

/** Adds a charge that succeeded, with its balance transaction, or a failed charge if there is a decline. */
export function addCharge(state: State, intent: Stripe.PaymentIntent, caller: Caller, decline?: Decline): Stripe.Charge {
  const method = methodOf(state, intent);
  const type = method.type as MethodType;
  const id = state.newId(type === 'card' ? 'ch' : 'py');
  const destination = idOf(intent.transfer_data?.destination);
  const paid = !decline;
  const balanceTransaction = paid ? chargeBalance(state, intent, type, id, caller.account) : null;
  const object: Stripe.Charge = {
    ...unusedFields,
    ...copiedFrom(intent),
    ...outcomeOf(decline),
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: paid ? intent.amount : 0,
    application_fee: paid && intent.application_fee_amount ? state.newId('fee') : null,
    balance_transaction: balanceTransaction?.id ?? null,
    billing_details: method.billing_details,
    created: state.now(),
    payment_method: method.id,
    payment_method_details: detailsOf(state, method),
    receipt_url: paid ? `https://pay.stripe.com/receipts/payment/${id}` : null,
    ...(destination && paid && { transfer: state.newId('tr') }),
  };
  const idempotencyKey = state.store.find('payment_intent', intent.id)?.facts.idempotencyKey ?? null;
  const facts = { idempotencyKey, applicationFeeRefunded: 0, transferReversed: 0 };
  return state.store.add('charge', { object, facts, owner: caller.account });
}

function chargeBalance(state: State, intent: Stripe.PaymentIntent, method: MethodType, charge: string, owner: string | null) {
  const { amount, currency, application_fee_amount: fee, description } = intent;
  return addBalanceTransaction(state, {
    amount,
    currency,
    source: charge,
    type: method === 'card' ? 'charge' : 'payment',
    category: 'charge',
    description,
    feeDetails: feesOf(state, method, amount, currency, owner ? fee : null),
    owner,
  });
}

function outcomeOf(decline: Decline | undefined) {
  const common = { advice_code: null, network_advice_code: null, network_decline_code: null };
  if (!decline) {
    return {
      captured: true,
      failure_code: null,
      failure_message: null,
      outcome: { ...common, network_status: 'approved_by_network', reason: null, seller_message: 'Payment complete.', type: 'authorized' },
      paid: true,
      status: 'succeeded' as const,
    };
  }
  const seller = 'The bank did not return any further details with this decline.';
  return {
    captured: false,
    failure_code: decline.code,
    failure_message: decline.message,
    outcome: {
      ...common,
      network_status: 'declined_by_network',
      reason: decline.declineCode,
      seller_message: seller,
      type: 'issuer_declined',
    },
    paid: false,
    status: 'failed' as const,
  };
}

function copiedFrom(intent: Stripe.PaymentIntent) {
  const destination = idOf(intent.transfer_data?.destination);
  return {
    application_fee_amount: intent.application_fee_amount,
    currency: intent.currency,
    description: intent.description,
    metadata: intent.metadata,
    on_behalf_of: intent.on_behalf_of,
    payment_intent: intent.id,
    receipt_email: intent.receipt_email,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    transfer_data: destination ? { amount: intent.transfer_data?.amount ?? null, destination } : null,
    transfer_group: intent.transfer_group ?? (destination ? `group_${intent.id}` : null),
  };
}

function detailsOf(state: State, method: Stripe.PaymentMethod): Stripe.Charge.PaymentMethodDetails {
  const details: Record<string, unknown> = {
    card: { ...objects.charge.payment_method_details.card, installments: null, wallet: null, three_d_secure: null },
    pix: { bank_transaction_id: state.characters(32), mandate: null },
    boleto: { tax_id: method.boleto?.tax_id ?? '' },
  };
  return { type: method.type, [method.type]: details[method.type] };
}

const unusedFields = {
  amount_refunded: 0,
  application: null,
  calculated_statement_descriptor: 'TESSERA',
  customer: null,
  disputed: false,
  failure_balance_transaction: null,
  fraud_details: {},
  livemode: false,
  receipt_number: null,
  refunded: false,
  // Stripe returns the refunds of a charge only if the request expands them.
  refunds: null,
  review: null,
  shipping: null,
  source: null,
  source_transfer: null,
};
