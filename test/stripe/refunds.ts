import type Stripe from 'stripe';
import { addBalanceTransaction } from './balance.ts';
import { invalidRequest, noSuchObject } from './errors.ts';
import type { Form } from './form.ts';
import { amount, expandable, flag, metadata, oneOf, readParameters, text } from './parameters.ts';
import { findIntent } from './payment-intents.ts';
import type { Caller, State } from './state.ts';
import { type Entry, idOf } from './store.ts';

const fields = {
  ...expandable,
  amount,
  charge: text(),
  metadata,
  payment_intent: text(),
  reason: oneOf('duplicate', 'fraudulent', 'requested_by_customer'),
  refund_application_fee: flag,
  reverse_transfer: flag,
};

type Parameters = ReturnType<typeof readRefundParameters>;

export function readRefundParameters(form: Form) {
  const parameters = readParameters(fields, form);
  const { charge, payment_intent: intent } = parameters;
  if (!charge && !intent) {
    throw invalidRequest('One of the following params should be provided for this request: payment_intent or charge.');
  }
  return parameters;
}

export function createRefund(state: State, parameters: Parameters, caller: Caller): Stripe.Refund {
  const entry = findCharge(state, parameters, caller);
  const charge = entry.object;
  const left = charge.amount - charge.amount_refunded;
  const refunded = parameters.amount ?? left;
  checkUndisputed(state, charge);
  checkRefundable(charge, refunded, left, parameters);
  const facts = {
    feeRefunded: parameters.refund_application_fee ? share(charge, charge.application_fee_amount ?? 0, refunded) : 0,
    reversed: parameters.reverse_transfer ? share(charge, transferredAmount(charge), refunded) : 0,
  };
  const object = newRefund(state, charge, refunded, parameters, facts.reversed > 0, caller);
  const refund = state.store.add('refund', { object, facts, owner: caller.account });
  const changed = moveRefunded(state, entry, refunded, facts);
  state.emit('refund.created', refund, caller);
  state.emit('charge.refunded', changed, caller, { amount_refunded: charge.amount_refunded, refunded: charge.refunded });
  return refund;
}

/** The bank of the buyer confirmed the refund, or the buyer did what `requires_action` asked for. */
export function settleRefund(state: State, id: string, caller: Caller): Stripe.Refund {
  const refund = openRefund(state, id, ['pending', 'requires_action']);
  const settled = state.store.change('refund', id, { next_action: undefined, pending_reason: undefined, status: 'succeeded' });
  emitUpdate(state, settled, refund.status, caller);
  return settled;
}

/** The money returns to the balance, and the amount can be refunded again. Stripe may fail a refund that has already succeeded. */
export function failRefund(state: State, id: string, reason: string, caller: Caller): Stripe.Refund {
  const refund = openRefund(state, id, ['pending', 'requires_action', 'succeeded']);
  const charge = state.store.find('charge', idOf(refund.charge) ?? '');
  const facts = state.store.find('refund', id)?.facts;
  if (!charge || !facts) throw new Error(`The refund ${id} has no charge.`);
  const returned = addBalanceTransaction(state, {
    amount: refund.amount,
    currency: refund.currency,
    source: id,
    type: 'adjustment',
    category: 'refund_failure',
    description: `REFUND FAILURE FOR ${refund.id}`,
    owner: charge.owner,
  });
  const failed = state.store.change('refund', id, {
    failure_balance_transaction: returned.id,
    failure_reason: reason,
    next_action: undefined,
    pending_reason: undefined,
    status: 'failed',
  });
  moveRefunded(state, charge, -refund.amount, { feeRefunded: -facts.feeRefunded, reversed: -facts.reversed });
  state.emit('refund.failed', failed, caller);
  emitUpdate(state, failed, refund.status, caller);
  return failed;
}

function emitUpdate(state: State, refund: Stripe.Refund, oldStatus: string | null, caller: Caller): void {
  state.emit('refund.updated', refund, caller, { status: oldStatus });
  state.emit('charge.refund.updated', refund, caller, { status: oldStatus });
}

function openRefund(state: State, id: string, statuses: string[]): Stripe.Refund {
  const refund = state.store.find('refund', id)?.object;
  if (!refund) throw new Error(`There is no refund ${id}.`);
  if (!statuses.includes(String(refund.status))) throw new Error(`The refund ${id} has the status ${refund.status}.`);
  return refund;
}

function findCharge(state: State, { charge: chargeId, payment_intent: intentId }: Parameters, caller: Caller): Entry<'charge'> {
  const intent = intentId ? findIntent(state, intentId, caller, 'payment_intent', 400) : undefined;
  const id = chargeId ?? (intent?.latest_charge as string | null | undefined);
  const entry = id ? state.store.find('charge', id) : undefined;
  if (chargeId && entry?.owner !== caller.account) throw noSuchObject('charge', chargeId, 'charge', 400);
  if (!entry || entry.object.status !== 'succeeded') {
    const subject = intentId ? `This PaymentIntent (${intentId})` : `This Charge (${chargeId})`;
    throw invalidRequest(`${subject} does not have a successful charge to refund.`, { code: 'charge_not_refundable' });
  }
  if (intent && entry.object.payment_intent !== intent.id) {
    throw invalidRequest(`The charge ${chargeId} does not belong to the PaymentIntent ${intentId}.`, { param: 'charge' });
  }
  return entry;
}

/** The amount of a dispute that was won can be refunded again. */
function checkUndisputed(state: State, charge: Stripe.Charge): void {
  const disputes = state.store.all('dispute').filter(({ object }) => idOf(object.charge) === charge.id);
  if (disputes.every(({ object }) => object.status === 'won')) return;
  throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, { code: 'charge_disputed' });
}

function checkRefundable(charge: Stripe.Charge, refunded: number, left: number, parameters: Parameters): void {
  if (charge.refunded) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  }
  if (refunded > left) {
    const money = (value: number) => `${charge.currency.toUpperCase()} ${(value / 100).toFixed(2)}`;
    throw invalidRequest(`Refund amount (${money(refunded)}) is greater than unrefunded amount on charge (${money(left)})`, {
      param: 'amount',
    });
  }
  if (charge.payment_method_details?.type === 'boleto') {
    throw invalidRequest(`Charge ${charge.id} cannot be refunded because boleto does not support refunds.`, {
      code: 'charge_not_refundable',
    });
  }
  if (parameters.reverse_transfer && !charge.transfer) {
    throw invalidRequest('Cannot reverse transfer on a charge that does not have an associated transfer.', { param: 'reverse_transfer' });
  }
  if (parameters.refund_application_fee && !charge.application_fee) {
    throw invalidRequest('Cannot refund application fee on a charge that does not have an application fee.', {
      param: 'refund_application_fee',
    });
  }
}

/** Stripe refunds fees and reverses transfers in proportion to the refunded amount. */
const share = (charge: Stripe.Charge, whole: number, refunded: number): number => Math.round((whole * refunded) / charge.amount);

export const transferredAmount = (charge: Stripe.Charge): number => (charge.transfer ? (charge.transfer_data?.amount ?? charge.amount) : 0);

function moveRefunded(state: State, { object: charge, facts }: Entry<'charge'>, refunded: number, moved: Entry<'refund'>['facts']) {
  const total = charge.amount_refunded + refunded;
  return state.store.change(
    'charge',
    charge.id,
    { amount_refunded: total, refunded: total === charge.amount },
    {
      applicationFeeRefunded: facts.applicationFeeRefunded + moved.feeRefunded,
      transferReversed: facts.transferReversed + moved.reversed,
    },
  );
}

function newRefund(
  state: State,
  charge: Stripe.Charge,
  refunded: number,
  { metadata = {}, reason = null }: { metadata?: Record<string, string>; reason?: Stripe.Refund.Reason | null } & object,
  reversed: boolean,
  caller: Caller,
): Stripe.Refund {
  const id = state.newId('re');
  const type = charge.payment_method_details?.type ?? 'card';
  const behaviour = state.store.find('payment_method', idOf(charge.payment_method) ?? '')?.facts;
  const status = state.nextRefundStatuses.shift() ?? (type === 'pix' ? 'pending' : (behaviour?.refund ?? 'succeeded'));
  const balance = addBalanceTransaction(state, {
    amount: -refunded,
    currency: charge.currency,
    source: id,
    type: type === 'card' ? 'refund' : 'payment_refund',
    category: 'refund',
    description: `REFUND FOR ${type === 'card' ? 'CHARGE' : 'PAYMENT'}`,
    owner: caller.account,
  });
  return {
    id,
    object: 'refund',
    amount: refunded,
    balance_transaction: balance.id,
    charge: charge.id,
    created: state.now(),
    currency: charge.currency,
    customer: null,
    customer_account: null,
    destination_details: { type, ...(type === 'card' ? { card: { type: 'refund' as const } } : { [type]: {} }) },
    metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status,
    transfer_reversal: reversed ? state.newId('trr') : null,
    ...(status === 'pending' && { pending_reason: 'processing' as const }),
    ...(status === 'requires_action' && { next_action: { type: 'display_details' } }),
  };
}
