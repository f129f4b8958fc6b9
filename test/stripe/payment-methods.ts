import type Stripe from 'stripe';
import { invalidRequest, missingParameter, noSuchObject } from './errors.ts';
import { emailAddress, hash, metadata, oneOf, text } from './parameters.ts';
import type { Caller, State } from './state.ts';
import type { Behaviour, Entry } from './store.ts';

/** https://docs.stripe.com/testing?testing-method=payment-methods */
const testCards: Record<string, Behaviour> = {
  pm_card_visa: {},
  pm_card_visa_debit: {},
  pm_card_mastercard: {},
  pm_card_br: {},
  pm_card_chargeDeclined: { declineCode: 'generic_decline' },
  pm_card_visa_chargeDeclined: { declineCode: 'generic_decline' },
  pm_card_visa_chargeDeclinedInsufficientFunds: { declineCode: 'insufficient_funds' },
  pm_card_visa_chargeDeclinedLostCard: { declineCode: 'lost_card' },
  pm_card_visa_chargeDeclinedStolenCard: { declineCode: 'stolen_card' },
  pm_card_chargeDeclinedExpiredCard: { declineCode: 'expired_card' },
  pm_card_chargeDeclinedIncorrectCvc: { declineCode: 'incorrect_cvc' },
  pm_card_chargeDeclinedProcessingError: { declineCode: 'processing_error' },
  pm_card_authenticationRequired: { authentication: 'required' },
  pm_card_authenticationRequiredChargeDeclinedInsufficientFunds: { authentication: 'required', declineCode: 'insufficient_funds' },
  pm_card_pendingRefund: { refund: 'pending' },
};

const address = hash({
  city: text(),
  country: text(2),
  line1: text(),
  line2: text(),
  postal_code: text(),
  state: text(),
});

export const paymentMethodData = hash({
  type: oneOf('boleto', 'card', 'pix'),
  billing_details: hash({ address, email: emailAddress, name: text(), phone: text(), tax_id: text() }),
  boleto: hash({ tax_id: text() }),
  pix: hash({}),
  metadata,
});

export type PaymentMethodData = ReturnType<typeof paymentMethodData>;

/** Returns the payment method of a request. A test card such as `pm_card_visa` becomes a payment method of its own. */
export function findPaymentMethod(state: State, id: string, caller: Caller): Entry<'payment_method'> {
  const stored = state.store.find('payment_method', id);
  if (stored?.owner === caller.account) return stored;
  const behaviour = Object.hasOwn(testCards, id) ? testCards[id] : undefined;
  if (!behaviour) throw noSuchObject('PaymentMethod', id, 'payment_method', 400);
  return addPaymentMethod(state, { type: 'card' }, behaviour, caller);
}

/** Checks the data before anything changes, because invalid parameters have no effect. */
export function checkPaymentMethodData({ type, billing_details: billing = {}, boleto }: PaymentMethodData): void {
  if (!type) throw missingParameter('payment_method_data[type]');
  if (type === 'card') {
    const message = 'The stand-in takes card details only from Stripe.js. Use a test payment method such as pm_card_visa.';
    throw invalidRequest(message, { param: 'payment_method_data[type]' });
  }
  if (type !== 'boleto') return;
  const required = ['line1', 'city', 'state', 'postal_code', 'country'] as const;
  if (!boleto?.tax_id) throw missingParameter('payment_method_data[boleto][tax_id]');
  for (const name of ['name', 'email'] as const) if (!billing[name]) throw missingParameter(`billing_details[${name}]`);
  for (const name of required) if (!billing.address?.[name]) throw missingParameter(`billing_details[address][${name}]`);
}

export const createPaymentMethod = (state: State, data: PaymentMethodData, caller: Caller): Entry<'payment_method'> =>
  addPaymentMethod(state, data, {}, caller);

function addPaymentMethod(state: State, data: PaymentMethodData, behaviour: Behaviour, caller: Caller): Entry<'payment_method'> {
  const type = data.type ?? 'card';
  const { address = {}, email = null, name = null, phone = null, tax_id = null } = data.billing_details ?? {};
  const object = {
    id: state.newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: {
      address: { city: null, country: null, line1: null, line2: null, postal_code: null, state: null, ...address },
      email,
      name,
      phone,
      tax_id,
    },
    created: state.now(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: data.metadata ?? {},
    type,
    [type]: type === 'boleto' ? { tax_id: data.boleto?.tax_id ?? '' } : {},
  } as unknown as Stripe.PaymentMethod;
  const entry = { object, facts: behaviour, owner: caller.account };
  state.store.add('payment_method', entry);
  return entry;
}
