import type Stripe from 'stripe';
import { addCharge, type Decline, declineOf, methodOf } from './charges.ts';
import { documentationOf, StripeFailure } from './errors.ts';
import type { Caller, State } from './state.ts';
import { idOf } from './store.ts';

interface AttemptOptions {
  offSession?: boolean;
  errorOnRequiresAction?: boolean;
  returnUrl?: string;
  useStripeSdk?: boolean;
}

/** Confirms an intent that has a payment method. Throws a card error if the card is declined. The intent keeps the error, as at Stripe. */
export function attemptPayment(state: State, intent: Stripe.PaymentIntent, options: AttemptOptions, caller: Caller): Stripe.PaymentIntent {
  state.store.change('payment_intent', intent.id, {}, { idempotencyKey: caller.idempotencyKey });
  const method = methodOf(state, intent);
  if (method.type === 'pix') return requireAction(state, intent, pixAction(state, intent), caller);
  if (method.type === 'boleto') return requireAction(state, intent, boletoAction(state, intent), caller);
  const { declineCode, authentication } = state.store.find('payment_method', method.id)?.facts ?? {};
  if (caller.declineCode) throw cardError(state, intent, declineOf(caller.declineCode), caller);
  if (authentication) {
    if (options.offSession || options.errorOnRequiresAction) throw cardError(state, intent, declineOf('authentication_required'), caller);
    return requireAction(state, intent, authenticationAction(state, intent, options), caller);
  }
  if (declineCode) throw cardError(state, intent, declineOf(declineCode), caller);
  return succeed(state, intent, caller);
}

export function succeed(state: State, intent: Stripe.PaymentIntent, caller: Caller): Stripe.PaymentIntent {
  const charge = addCharge(state, intent, caller);
  const paid = state.store.change('payment_intent', intent.id, {
    amount_received: intent.amount,
    last_payment_error: null,
    latest_charge: charge.id,
    next_action: null,
    processing: null,
    status: 'succeeded',
  });
  state.emit('charge.succeeded', charge, caller);
  state.emit('payment_intent.succeeded', paid, caller);
  return paid;
}

function requireAction(
  state: State,
  intent: Stripe.PaymentIntent,
  nextAction: Stripe.PaymentIntent.NextAction,
  caller: Caller,
): Stripe.PaymentIntent {
  const waiting = state.store.change('payment_intent', intent.id, {
    last_payment_error: null,
    next_action: nextAction,
    status: 'requires_action',
  });
  state.emit('payment_intent.requires_action', waiting, caller);
  return waiting;
}

/** Fails the attempt with a failed charge. */
export function decline(state: State, intent: Stripe.PaymentIntent, reason: Decline, caller: Caller): Stripe.PaymentIntent {
  const charge = addCharge(state, intent, caller, reason);
  state.emit('charge.failed', charge, caller);
  const { code, declineCode, message } = reason;
  const error = { charge: charge.id, code, decline_code: declineCode, message, type: 'card_error' as const };
  return failAttempt(state, intent, error, caller, charge.id);
}

type AttemptError = Pick<Stripe.PaymentIntent.LastPaymentError, 'type'> & { code: string; message: string };

/** Returns the intent to `requires_payment_method`. The buyer can try again with another payment method. */
export function failAttempt(
  state: State,
  intent: Stripe.PaymentIntent,
  error: AttemptError,
  caller: Caller,
  charge?: string,
): Stripe.PaymentIntent {
  const failed = state.store.change('payment_intent', intent.id, {
    last_payment_error: { ...error, doc_url: documentationOf(error.code), payment_method: methodOf(state, intent) },
    ...(charge && { latest_charge: charge }),
    next_action: null,
    payment_method: null,
    processing: null,
    status: 'requires_payment_method',
  });
  state.emit('payment_intent.payment_failed', failed, caller);
  return failed;
}

function cardError(state: State, intent: Stripe.PaymentIntent, reason: Decline, caller: Caller): StripeFailure {
  const failed = decline(state, intent, reason, caller);
  return new StripeFailure(402, {
    type: 'card_error',
    message: reason.message,
    code: reason.code,
    decline_code: reason.declineCode,
    charge: idOf(failed.latest_charge) ?? '',
    payment_intent: failed,
    payment_method: failed.last_payment_error?.payment_method,
  });
}

function pixAction(state: State, intent: Stripe.PaymentIntent): Stripe.PaymentIntent.NextAction {
  const { expires_after_seconds: seconds, expires_at: at } = intent.payment_method_options?.pix ?? {};
  const token = state.characters(24);
  const image = `https://qr.stripe.com/test_${token}`;
  return {
    type: 'pix_display_qr_code',
    pix_display_qr_code: {
      data: `00020101021226840014br.gov.bcb.pix2562pix.example.com/${token}5204000053039865802BR5907TESSERA6009SAO PAULO62070503***6304`,
      expires_at: at ?? state.now() + (seconds ?? 86_400),
      hosted_instructions_url: `https://payments.stripe.com/pix/instructions/test_${token}`,
      image_url_png: `${image}.png`,
      image_url_svg: `${image}.svg`,
    },
  };
}

function boletoAction(state: State, intent: Stripe.PaymentIntent): Stripe.PaymentIntent.NextAction {
  const days = intent.payment_method_options?.boleto?.expires_after_days ?? 3;
  const voucher = `https://payments.stripe.com/boleto/voucher/test_${state.characters(24)}`;
  return {
    type: 'boleto_display_details',
    boleto_display_details: {
      expires_at: endOfDayInSaoPaulo(state.now() + days * 86_400),
      hosted_voucher_url: voucher,
      number: '01010101010101010101010101010101010101010101010',
      pdf: `${voucher}/pdf`,
    },
  };
}

/** A boleto expires at 23:59 in São Paulo, which is UTC-3. */
const endOfDayInSaoPaulo = (time: number): number => {
  const offset = 3 * 3600;
  return Math.floor((time - offset) / 86_400) * 86_400 + offset + 86_400 - 60;
};

/** Stripe redirects only if the server confirms with a `return_url` and does not say that Stripe.js handles the action. */
function authenticationAction(state: State, intent: Stripe.PaymentIntent, options: AttemptOptions): Stripe.PaymentIntent.NextAction {
  const source = state.newId('payatt');
  const url = `https://hooks.stripe.com/3d_secure_2/hosted?payment_intent=${intent.id}&source=${source}`;
  if (options.returnUrl && !options.useStripeSdk) {
    return { type: 'redirect_to_url', redirect_to_url: { return_url: options.returnUrl, url } };
  }
  return { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', source, stripe_js: url } };
}
