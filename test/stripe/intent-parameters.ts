import { invalidRequest } from './errors.ts';
import type { Form } from './form.ts';
import { amount, emailAddress, expandable, flag, hash, integer, list, metadata, oneOf, readParameters, text } from './parameters.ts';
import { checkPaymentMethodData, paymentMethodData } from './payment-methods.ts';
import type { MethodType } from './store.ts';

const methodType = oneOf('boleto', 'card', 'pix');

const options = hash({
  boleto: hash({ expires_after_days: integer({ min: 0, max: 60 }) }),
  card: hash({ request_three_d_secure: oneOf('any', 'automatic', 'challenge') }),
  pix: hash({ expires_after_seconds: integer({ min: 10, max: 1_209_600 }), expires_at: integer({ min: 1 }) }),
});

const confirmFields = {
  ...expandable,
  error_on_requires_action: flag,
  off_session: flag,
  payment_method: text(),
  payment_method_data: paymentMethodData,
  payment_method_options: options,
  receipt_email: emailAddress,
  return_url: text(),
  use_stripe_sdk: flag,
};

const createFields = {
  ...confirmFields,
  allowed_payment_method_types: list(methodType),
  amount,
  application_fee_amount: integer({ min: 0 }),
  automatic_payment_methods: hash({ allow_redirects: oneOf('always', 'never'), enabled: flag }),
  capture_method: oneOf('automatic', 'automatic_async'),
  confirm: flag,
  confirmation_method: oneOf('automatic', 'manual'),
  currency: oneOf('brl', 'eur', 'usd'),
  description: text(1000),
  excluded_payment_method_types: list(methodType),
  metadata,
  on_behalf_of: text(),
  statement_descriptor: text(22),
  statement_descriptor_suffix: text(22),
  transfer_data: hash({ amount, destination: text() }),
  transfer_group: text(),
};

export type CreateParameters = ReturnType<typeof readCreateParameters>;
export type ConfirmParameters = ReturnType<typeof readConfirmParameters>;

export function readCreateParameters(form: Form) {
  // https://docs.stripe.com/changelog/endive/2026-09-30/removes-the-payment-method-types-parameter-from-payment-intents-and-setup-intents
  if ('payment_method_types' in form) throw typesNotSupported();
  const parameters = readParameters(createFields, form, ['amount', 'currency']);
  checkSelection(parameters);
  checkFees(parameters);
  checkMinimum(parameters.amount, parameters.currency);
  if (!parameters.confirm) refuseConfirmOnly(parameters);
  checkMethod(parameters);
  return parameters;
}

export function readConfirmParameters(form: Form) {
  if ('payment_method_types' in form) throw typesNotSupported();
  const parameters = readParameters(confirmFields, form);
  checkMethod(parameters);
  return parameters;
}

const cancelFields = {
  ...expandable,
  cancellation_reason: oneOf('abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'),
};

export const readCancelParameters = (form: Form) => readParameters(cancelFields, form);

const typesNotSupported = () =>
  invalidRequest('The parameter payment_method_types is no longer supported. Use allowed_payment_method_types instead.', {
    code: 'payment_method_types_no_longer_supported',
    param: 'payment_method_types',
  });

const exclusive = (...names: string[]) =>
  invalidRequest(`You may only specify one of these parameters: ${names.join(', ')}.`, { code: 'parameters_exclusive' });

function checkSelection(parameters: ReturnType<typeof readParameters<typeof createFields>>): void {
  const selections = ['allowed_payment_method_types', 'excluded_payment_method_types', 'automatic_payment_methods'] as const;
  const given = selections.filter((name) => parameters[name] !== undefined);
  if (given.includes('allowed_payment_method_types') && given.length > 1) throw exclusive(...given);
}

function checkFees({
  amount,
  application_fee_amount: fee,
  transfer_data: transfer,
}: ReturnType<typeof readParameters<typeof createFields>>) {
  if (fee !== undefined && transfer?.amount !== undefined) throw exclusive('application_fee_amount', 'transfer_data[amount]');
  if (fee !== undefined && fee > (amount ?? 0)) {
    throw invalidRequest('Your application fee cannot be greater than the amount.', { param: 'application_fee_amount' });
  }
  if (transfer && !transfer.destination) {
    throw invalidRequest('Missing required param: transfer_data[destination].', {
      code: 'parameter_missing',
      param: 'transfer_data[destination]',
    });
  }
  if (transfer?.amount !== undefined && transfer.amount > (amount ?? 0)) {
    throw invalidRequest('The transfer amount cannot be greater than the amount.', { param: 'transfer_data[amount]' });
  }
}

function checkMinimum(value: number, currency: string): void {
  const minimum = 50;
  if (value >= minimum) return;
  throw invalidRequest(`Amount must be at least 0.50 ${currency}`, { code: 'amount_too_small', param: 'amount' });
}

function refuseConfirmOnly(parameters: ReturnType<typeof readParameters<typeof confirmFields>>): void {
  for (const param of ['error_on_requires_action', 'off_session', 'return_url'] as const) {
    if (parameters[param] !== undefined) throw invalidRequest(`The parameter ${param} can only be used with confirm=true.`, { param });
  }
}

function checkMethod(parameters: ReturnType<typeof readParameters<typeof confirmFields>>): void {
  const { payment_method: id, payment_method_data: data, payment_method_options: { pix } = {} } = parameters;
  if (id && data) throw exclusive('payment_method', 'payment_method_data');
  if (data) checkPaymentMethodData(data);
  if (pix?.expires_at !== undefined && pix.expires_after_seconds !== undefined) {
    throw exclusive('payment_method_options[pix][expires_after_seconds]', 'payment_method_options[pix][expires_at]');
  }
}

/** Incompatible types are left out without an error, as Stripe documents for `allowed_payment_method_types`. */
export function compatibleTypes({
  allowed_payment_method_types: allowed,
  excluded_payment_method_types: excluded,
  currency,
}: CreateParameters) {
  const all: MethodType[] = currency === 'brl' ? ['card', 'boleto', 'pix'] : ['card'];
  const types = all.filter((type) => (allowed?.includes(type) ?? true) && !excluded?.includes(type));
  if (types.length > 0) return types;
  throw invalidRequest(`None of the payment method types is compatible with the currency ${currency}.`, {
    param: allowed ? 'allowed_payment_method_types' : 'excluded_payment_method_types',
  });
}
