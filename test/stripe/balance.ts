import type Stripe from 'stripe';
import type { State } from './state.ts';
import type { MethodType } from './store.ts';

interface Movement {
  amount: number;
  currency: string;
  source: string;
  type: 'adjustment' | 'charge' | 'payment' | 'payment_refund' | 'refund';
  category: 'charge' | 'dispute' | 'dispute_reversal' | 'refund' | 'refund_failure';
  description: string | null;
  feeDetails?: Stripe.BalanceTransaction.FeeDetail[];
  owner: string | null;
}

const settlementDelay = 2 * 24 * 3600;

/** Adds a change of a balance. `net` is what the change adds to the balance: the amount without the fees. */
export function addBalanceTransaction(state: State, movement: Movement): Stripe.BalanceTransaction {
  const { amount, currency, source, type, category, description, feeDetails = [], owner } = movement;
  const fee = feeDetails.reduce((sum, detail) => sum + detail.amount, 0);
  const now = state.now();
  const object: Stripe.BalanceTransaction = {
    id: state.newId('txn'),
    object: 'balance_transaction',
    amount,
    available_on: now + settlementDelay,
    balance_type: 'payments',
    created: now,
    currency,
    description,
    exchange_rate: null,
    fee,
    fee_details: feeDetails,
    net: amount - fee,
    reporting_category: category,
    source,
    status: 'pending',
    type,
  };
  return state.store.add('balance_transaction', { object, facts: null, owner });
}

/** The fee of Stripe, and for a direct charge also the application fee. A destination charge pays the application fee separately. */
export function feesOf(
  state: State,
  method: MethodType,
  amount: number,
  currency: string,
  applicationFee: number | null,
): Stripe.BalanceTransaction.FeeDetail[] {
  const { basisPoints, fixed } = state.fees[method];
  const stripeFee = Math.min(amount, Math.round((amount * basisPoints) / 10_000) + fixed);
  const detail = (type: string, fee: number, description: string): Stripe.BalanceTransaction.FeeDetail => ({
    amount: fee,
    application: type === 'application_fee' ? 'ca_standin' : null,
    currency,
    description,
    type,
  });
  return [
    ...(applicationFee ? [detail('application_fee', applicationFee, 'application fee')] : []),
    detail('stripe_fee', stripeFee, 'Stripe processing fees'),
  ];
}
