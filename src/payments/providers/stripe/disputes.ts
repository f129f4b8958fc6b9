import type Stripe from 'stripe';
import type { ProviderDispute } from '../port.ts';
import { idOf } from './client.ts';
import { inCurrency } from './payment-state.ts';

/** The other statuses belong to inquiries, which withdraw no money. A chargeback can follow, and then its notices have these statuses. */
const statuses: Record<string, ProviderDispute['status']> = {
  needs_response: 'open',
  under_review: 'open',
  appeal_needs_response: 'open',
  appeal_under_review: 'open',
  won: 'won',
  lost: 'lost',
};

/** Null if the dispute moves no money, or is not about a payment of the service. */
export function disputeOf(dispute: Stripe.Dispute): ProviderDispute | null {
  const { id, amount, currency, reason, balance_transactions: transactions } = dispute;
  const paymentProviderId = idOf(dispute.payment_intent);
  const status = statuses[dispute.status];
  if (paymentProviderId === null || !status) return null;
  // A reversal returns the fee as a negative fee, if Stripe returns it.
  const fee = transactions.reduce((sum, transaction) => sum + inCurrency(currency, transaction, transaction.fee), 0);
  return { providerId: id, paymentProviderId, status, amount, fee: Math.max(fee, 0), reason, movements: transactions.length };
}
