import type Stripe from 'stripe';
import { decline, failAttempt, succeed } from './attempt-payment.ts';
import { declineOf, methodOf } from './charges.ts';
import { StripeFailure } from './errors.ts';
import { confirmIntent } from './payment-intents.ts';
import type { PaymentMethodData } from './payment-methods.ts';
import type { Caller, State } from './state.ts';
import type { Entry, MethodType } from './store.ts';

/** The buyer's side has no API request. `account` is the owner of the object. */
export const outside = (account: string | null): Caller => ({ account, requestId: null, idempotencyKey: null });

export interface BuyerConfirmation {
  /** A test payment method such as `pm_card_visa`. */
  paymentMethod?: string;
  paymentMethodData?: PaymentMethodData;
}

/** Confirms the intent as Stripe.js does in the browser. A declined card changes the intent but throws no error. */
export function confirmAsBuyer(state: State, id: string, { paymentMethod, paymentMethodData }: BuyerConfirmation): Stripe.PaymentIntent {
  const { owner } = intentEntry(state, id);
  try {
    confirmIntent(
      state,
      id,
      {
        ...(paymentMethod && { payment_method: paymentMethod }),
        ...(paymentMethodData && { payment_method_data: paymentMethodData }),
        return_url: 'https://example.com/return',
        use_stripe_sdk: true,
      },
      outside(owner),
    );
  } catch (error) {
    if (!(error instanceof StripeFailure && error.status === 402)) throw error;
  }
  return intentEntry(state, id).object;
}

/** The buyer pays the QR code or the voucher. */
export function payVoucher(state: State, id: string, type: MethodType): Stripe.PaymentIntent {
  const { object: intent, owner } = waitingIntent(state, id, type, ['requires_action', 'processing']);
  const expiry = expiryOf(intent);
  if (expiry !== undefined && expiry <= state.now()) throw new Error(`The ${type} of ${id} has expired, so the bank refuses it.`);
  return succeed(state, intent, outside(owner));
}

export function expireVoucher(state: State, id: string, type: MethodType): Stripe.PaymentIntent {
  const { object: intent, owner } = waitingIntent(state, id, type, ['requires_action']);
  const error = {
    code: 'payment_intent_payment_attempt_expired',
    message: `The latest payment attempt of the PaymentIntent has failed because the ${type} expired.`,
    type: 'invalid_request_error' as const,
  };
  return failAttempt(state, intent, error, outside(owner));
}

/** Expires all QR codes and vouchers whose time has passed. */
export function expireDueVouchers(state: State): void {
  for (const { object: intent } of state.store.all('payment_intent')) {
    const expiry = expiryOf(intent);
    if (intent.status === 'requires_action' && expiry !== undefined && expiry <= state.now()) {
      expireVoucher(state, intent.id, methodOf(state, intent).type as MethodType);
    }
  }
}

/** The bank has received the money and has not confirmed it yet. */
export function startProcessing(state: State, id: string): Stripe.PaymentIntent {
  const { object, owner } = intentEntry(state, id);
  if (object.status !== 'requires_action') throw new Error(`The payment intent ${id} has the status ${object.status}.`);
  const processing = state.store.change('payment_intent', id, { status: 'processing' });
  state.emit('payment_intent.processing', processing, outside(owner));
  return processing;
}

/** The buyer passes 3-D Secure. The bank can still decline the card. */
export function completeAuthentication(state: State, id: string): Stripe.PaymentIntent {
  const { object: intent, owner } = waitingIntent(state, id, 'card', ['requires_action']);
  const declineCode = state.store.find('payment_method', methodOf(state, intent).id)?.facts.declineCode;
  return declineCode ? decline(state, intent, declineOf(declineCode), outside(owner)) : succeed(state, intent, outside(owner));
}

export function failAuthentication(state: State, id: string): Stripe.PaymentIntent {
  const { object: intent, owner } = waitingIntent(state, id, 'card', ['requires_action']);
  const error = {
    code: 'payment_intent_authentication_failure',
    message:
      'The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod to attempt to fulfill this PaymentIntent again.',
    type: 'invalid_request_error' as const,
  };
  return failAttempt(state, intent, error, outside(owner));
}

const expiryOf = ({ next_action: action }: Stripe.PaymentIntent): number | undefined =>
  action?.pix_display_qr_code?.expires_at ?? action?.boleto_display_details?.expires_at ?? undefined;

function intentEntry(state: State, id: string): Entry<'payment_intent'> {
  const entry = state.store.find('payment_intent', id);
  if (!entry) throw new Error(`There is no payment intent ${id}.`);
  return entry;
}

function waitingIntent(state: State, id: string, type: MethodType, statuses: string[]): Entry<'payment_intent'> {
  const entry = intentEntry(state, id);
  if (!statuses.includes(entry.object.status)) throw new Error(`The payment intent ${id} has the status ${entry.object.status}.`);
  const actual = methodOf(state, entry.object).type;
  if (actual !== type) throw new Error(`The payment intent ${id} is paid by ${actual}, not by ${type}.`);
  return entry;
}
