import type Stripe from 'stripe';
import { checkDestination, findAccount } from './accounts.ts';
import { attemptPayment } from './attempt-payment.ts';
import { invalidRequest, noSuchObject } from './errors.ts';
import { type ConfirmParameters, type CreateParameters, compatibleTypes } from './intent-parameters.ts';
import { createPaymentMethod, findPaymentMethod } from './payment-methods.ts';
import type { Caller, State } from './state.ts';
import type { Entry } from './store.ts';

export function createIntent(state: State, parameters: CreateParameters, caller: Caller): Stripe.PaymentIntent {
  const types = compatibleTypes(parameters);
  checkAccounts(state, parameters, caller);
  if (parameters.confirm) checkReturnUrl(parameters);
  const method = methodOfRequest(state, parameters, types, caller);
  if (parameters.confirm && !method) throw missingMethod();
  const object = newIntent(state, parameters, types, method);
  const intent = state.store.add('payment_intent', {
    object,
    facts: { idempotencyKey: caller.idempotencyKey },
    owner: caller.account,
  });
  state.emit('payment_intent.created', intent, caller);
  return parameters.confirm ? attemptPayment(state, intent, attemptOptions(parameters), caller) : intent;
}

export function confirmIntent(state: State, id: string, parameters: ConfirmParameters, caller: Caller): Stripe.PaymentIntent {
  const intent = findIntent(state, id, caller);
  const confirmable = ['requires_payment_method', 'requires_confirmation', 'requires_action'];
  if (intent.status === 'succeeded') {
    throw unexpectedState(
      'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.',
      intent,
    );
  }
  if (!confirmable.includes(intent.status)) throw wrongStatus('confirm', 'confirmed', intent, confirmable);
  const method = methodOfRequest(state, parameters, intent.payment_method_types, caller)?.object.id ?? intent.payment_method;
  if (!method) throw missingMethod(intent);
  if (!parameters.return_url && intent.automatic_payment_methods?.enabled) {
    checkReturnUrl({ ...parameters, automatic_payment_methods: intent.automatic_payment_methods });
  }
  const ready = state.store.change('payment_intent', id, {
    next_action: null,
    payment_method: method,
    payment_method_options: mergedOptions(intent.payment_method_options, parameters),
    ...(parameters.receipt_email && { receipt_email: parameters.receipt_email }),
  });
  return attemptPayment(state, ready, attemptOptions(parameters), caller);
}

export function cancelIntent(
  state: State,
  id: string,
  reason: Stripe.PaymentIntent.CancellationReason | null,
  caller: Caller,
): Stripe.PaymentIntent {
  const intent = findIntent(state, id, caller);
  const cancelable = ['requires_payment_method', 'requires_capture', 'requires_confirmation', 'requires_action'];
  if (!cancelable.includes(intent.status)) throw wrongStatus('cancel', 'canceled', intent, cancelable);
  const canceled = state.store.change('payment_intent', id, {
    canceled_at: state.now(),
    cancellation_reason: reason,
    next_action: null,
    status: 'canceled',
  });
  state.emit('payment_intent.canceled', canceled, caller);
  return canceled;
}

export function findIntent(state: State, id: string, caller: Caller, param = 'intent', status: 400 | 404 = 404): Stripe.PaymentIntent {
  const entry = state.store.find('payment_intent', id);
  if (entry?.owner !== caller.account) throw noSuchObject('payment_intent', id, param, status);
  return entry.object;
}

function checkAccounts(state: State, parameters: CreateParameters, caller: Caller): void {
  const { application_fee_amount: fee, on_behalf_of: onBehalfOf, transfer_data: transfer } = parameters;
  if (fee !== undefined && !transfer && !caller.account) {
    throw invalidRequest(
      'Can only apply an application_fee_amount when the PaymentIntent is attempting a direct payment (using an OAuth key or Stripe-Account header) or destination payment (using `transfer_data[destination]`).',
      { param: 'application_fee_amount' },
    );
  }
  if (onBehalfOf && !findAccount(state, onBehalfOf)) throw noSuchObject('on_behalf_of', onBehalfOf, 'on_behalf_of', 400);
  if (transfer?.destination) checkDestination(state, transfer.destination);
}

interface Redirects {
  automatic_payment_methods?: { enabled?: boolean; allow_redirects?: string };
  return_url?: string;
}

/** Payment methods of the Dashboard may redirect the buyer. A list of allowed types without redirects needs no `return_url`. */
function checkReturnUrl({ automatic_payment_methods: automatic, return_url: url }: Redirects): void {
  if (!automatic?.enabled || automatic.allow_redirects === 'never' || url) return;
  throw invalidRequest(
    'This PaymentIntent is configured to accept payment methods enabled in your Dashboard. Because some of these payment methods might redirect your customer off of your page, you must provide a `return_url`.',
  );
}

function methodOfRequest(
  state: State,
  { payment_method: id, payment_method_data: data }: ConfirmParameters,
  types: readonly string[],
  caller: Caller,
): Entry<'payment_method'> | undefined {
  if (data?.type) checkType(data.type, types);
  if (data) return createPaymentMethod(state, data, caller);
  if (!id) return undefined;
  const method = findPaymentMethod(state, id, caller);
  checkType(method.object.type, types);
  return method;
}

function checkType(type: string, types: readonly string[]): void {
  if (types.includes(type)) return;
  throw invalidRequest(
    `The PaymentMethod provided (${type}) is not allowed for this PaymentIntent. Please attach a PaymentMethod of one of these types: ${types.join(', ')}.`,
    { code: 'payment_intent_incompatible_payment_method', param: 'payment_method' },
  );
}

const missingMethod = (intent?: Stripe.PaymentIntent) =>
  unexpectedState(
    "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
    intent,
  );

const unexpectedState = (message: string, intent?: Stripe.PaymentIntent) =>
  invalidRequest(message, { code: 'payment_intent_unexpected_state', ...(intent && { payment_intent: intent }) });

const wrongStatus = (verb: string, participle: string, intent: Stripe.PaymentIntent, allowed: string[]) =>
  unexpectedState(
    `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be ${participle}: ${allowed.join(', ')}.`,
    intent,
  );

const attemptOptions = (parameters: ConfirmParameters) => ({
  ...(parameters.off_session && { offSession: true }),
  ...(parameters.error_on_requires_action && { errorOnRequiresAction: true }),
  ...(parameters.return_url && { returnUrl: parameters.return_url }),
  ...(parameters.use_stripe_sdk && { useStripeSdk: true }),
});

function mergedOptions(old: Stripe.PaymentIntent.PaymentMethodOptions | null, { payment_method_options: given }: ConfirmParameters) {
  return { ...old, ...given } as Stripe.PaymentIntent.PaymentMethodOptions;
}

function newIntent(state: State, parameters: CreateParameters, types: string[], method: Entry<'payment_method'> | undefined) {
  const id = state.newId('pi');
  const { allowed_payment_method_types: allowed, automatic_payment_methods: automatic, transfer_data: transfer } = parameters;
  const object: Stripe.PaymentIntent = {
    ...unusedFields,
    id,
    object: 'payment_intent',
    allowed_payment_method_types: allowed ?? null,
    amount: parameters.amount,
    application_fee_amount: parameters.application_fee_amount ?? null,
    automatic_payment_methods: allowed ? null : { allow_redirects: 'always', enabled: true, ...automatic },
    capture_method: parameters.capture_method ?? 'automatic_async',
    client_secret: `${id}_secret_${state.characters(25)}`,
    confirmation_method: parameters.confirmation_method ?? 'automatic',
    created: state.now(),
    currency: parameters.currency,
    description: parameters.description ?? null,
    excluded_payment_method_types: parameters.excluded_payment_method_types ?? null,
    metadata: parameters.metadata ?? {},
    on_behalf_of: parameters.on_behalf_of ?? null,
    payment_method: method?.object.id ?? null,
    payment_method_options: mergedOptions({}, parameters),
    payment_method_types: types,
    receipt_email: parameters.receipt_email ?? null,
    statement_descriptor: parameters.statement_descriptor ?? null,
    statement_descriptor_suffix: parameters.statement_descriptor_suffix ?? null,
    status: method ? 'requires_confirmation' : 'requires_payment_method',
    transfer_data: transfer?.destination
      ? { destination: transfer.destination, ...(transfer.amount !== undefined && { amount: transfer.amount }) }
      : null,
    transfer_group: parameters.transfer_group ?? null,
  };
  return object;
}

const unusedFields = {
  amount_capturable: 0,
  amount_details: { tip: {} },
  amount_received: 0,
  application: null,
  canceled_at: null,
  cancellation_reason: null,
  customer: null,
  customer_account: null,
  last_payment_error: null,
  latest_charge: null,
  livemode: false,
  managed_payments: null,
  next_action: null,
  payment_method_configuration_details: null,
  payment_record: null,
  processing: null,
  review: null,
  setup_future_usage: null,
  shipping: null,
  source: null,
};
