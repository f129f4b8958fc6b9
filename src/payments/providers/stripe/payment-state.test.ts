import type Stripe from 'stripe';
import { expect, it } from 'vitest';
import { paymentOf } from './payment-state.ts';

const fees = {
  fee: 1_438,
  fee_details: [
    { type: 'stripe_fee', amount: 438 },
    { type: 'application_fee', amount: 1_000 },
  ],
};
const transaction = { currency: 'brl', exchange_rate: null, ...fees };

const paidWith = (balanceTransaction: object | string | null, changes: object = {}) => {
  const charge = { id: 'ch_1', balance_transaction: balanceTransaction };
  const intent = { id: 'pi_1', status: 'succeeded', amount: 10_000, amount_received: 10_000, currency: 'brl', metadata: {} };
  return paymentOf({ ...intent, latest_charge: charge, ...changes } as unknown as Stripe.PaymentIntent, 'pk_test');
};

it('the fee does not contain the application fee, which stays with the platform', () => {
  expect(paidWith(transaction).fee).toBe(438);
});

it('the fee is converted to the currency of the payment', () => {
  expect(paidWith({ ...transaction, currency: 'usd', exchange_rate: 0.2, fee: 1_088, fee_details: fees.fee_details }).fee).toBe(440);
});

it('the fee is unknown until the charge is settled, and if the response contains only ids', () => {
  expect(paidWith(null).fee).toBeNull();
  expect(paidWith('txn_1').fee).toBeNull();
  expect(paidWith(null, { latest_charge: 'ch_1' }).fee).toBeNull();
});

it('a payment that was not started by the service has no reference', () => {
  expect(paidWith(transaction)).toMatchObject({ reference: null, status: 'paid', received: 10_000 });
});

it('an open payment has received nothing', () => {
  const open = paidWith(null, { status: 'requires_capture', payment_method_types: ['pix'], next_action: null });
  expect(open).toMatchObject({ status: 'open', received: 0, fee: null, action: null });
});
