import type Stripe from 'stripe';
import { addBalanceTransaction } from './balance.ts';
import objects from './objects.json' with { type: 'json' };
import type { Caller, State } from './state.ts';
import { idOf } from './store.ts';

/** The fee that Stripe withdraws together with the disputed amount. */
const disputeFee = 5_500;

/** Opens a dispute and withdraws the disputed amount. By default the whole charge is disputed. */
export function openDispute(state: State, chargeId: string, reason: string, amount: number | undefined, caller: Caller): Stripe.Dispute {
  const charge = state.store.find('charge', chargeId)?.object;
  if (charge?.status !== 'succeeded') throw new Error(`There is no successful charge ${chargeId}.`);
  if (charge.disputed) throw new Error(`The charge ${chargeId} already has a dispute.`);
  const id = state.newId('dp');
  const disputed = amount ?? charge.amount;
  const withdrawal = moveDisputed(state, id, charge, -disputed, caller);
  const object = {
    ...objects.dispute,
    id,
    amount: disputed,
    balance_transactions: [withdrawal],
    charge: charge.id,
    created: state.now(),
    currency: charge.currency,
    evidence_details: { ...objects.dispute.evidence_details, due_by: state.now() + 7 * 86_400 },
    intended_submission_method: null,
    is_charge_refundable: false,
    payment_intent: charge.payment_intent,
    payment_method_details: {
      ...objects.dispute.payment_method_details,
      card: { ...objects.dispute.payment_method_details.card, case_type: 'chargeback' },
    },
    reason,
    status: 'needs_response',
  } as unknown as Stripe.Dispute;
  const dispute = state.store.add('dispute', { object, facts: null, owner: caller.account });
  state.store.change('charge', chargeId, { disputed: true });
  state.emit('charge.dispute.created', dispute, caller);
  state.emit('charge.dispute.funds_withdrawn', dispute, caller);
  return dispute;
}

/** If the dispute is won, the disputed amount returns to the balance. */
export function closeDispute(state: State, id: string, outcome: 'lost' | 'won', caller: Caller): Stripe.Dispute {
  const dispute = state.store.find('dispute', id)?.object;
  const charge = state.store.find('charge', idOf(dispute?.charge) ?? '')?.object;
  if (!dispute || !charge) throw new Error(`There is no dispute ${id}.`);
  if (dispute.status === 'won' || dispute.status === 'lost') throw new Error(`The dispute ${id} is already ${dispute.status}.`);
  const reversal = outcome === 'won' ? [moveDisputed(state, id, charge, dispute.amount, caller)] : [];
  const closed = state.store.change('dispute', id, {
    balance_transactions: [...dispute.balance_transactions, ...reversal],
    status: outcome,
  });
  state.emit('charge.dispute.closed', closed, caller, { status: dispute.status });
  if (outcome === 'won') state.emit('charge.dispute.funds_reinstated', closed, caller);
  return closed;
}

function moveDisputed(state: State, dispute: string, charge: Stripe.Charge, amount: number, caller: Caller): Stripe.BalanceTransaction {
  const fee = { amount: disputeFee, application: null, currency: charge.currency, description: 'Dispute fee', type: 'stripe_fee' };
  return addBalanceTransaction(state, {
    amount,
    currency: charge.currency,
    source: dispute,
    type: 'adjustment',
    category: amount < 0 ? 'dispute' : 'dispute_reversal',
    description: `Chargeback ${amount < 0 ? 'withdrawal' : 'reversal'} for ${charge.id}`,
    feeDetails: amount < 0 ? [fee] : [],
    owner: caller.account,
  });
}
