import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PaymentRow } from '../orders/payment.ts';
import { decidePayment, type OrderState } from './decide-payment.ts';

const amount = fc.integer({ min: 1, max: 1_000 });
const payment = fc.record({
  status: fc.constantFrom<PaymentRow['status']>('begun', 'pending', 'approved', 'declined', 'refunded'),
  amount,
  action: fc.constant(null),
  providerId: fc.constantFrom(null, 'pi_1'),
});
const order = fc.record({
  status: fc.constantFrom<OrderState['status']>('held', 'expired', 'cancelled', 'approved', 'refunded'),
  eventCancelled: fc.boolean(),
});
const reported = fc.record({ status: fc.constantFrom('paid' as const, 'failed' as const, 'open' as const), received: amount });

describe('decidePayment', () => {
  it('approves or returns the first report that a payment is paid, and moves no money for any other report', () => {
    fc.assert(
      fc.property(reported, payment, order, ({ status, received }, paid, state) => {
        const decision = decidePayment({ status, received }, paid, state);
        const movesMoney = decision.do === 'approve' || decision.do === 'return';
        const isFirstPaid = status === 'paid' && paid.status !== 'approved' && paid.status !== 'refunded';
        expect(movesMoney).toBe(isFirstPaid);
        const canBuy = (state.status === 'held' || state.status === 'expired') && !state.eventCancelled;
        expect(decision.do === 'approve').toBe(isFirstPaid && canBuy && received >= paid.amount);
        expect(decision.do !== 'approve' || received - decision.tooMuch === paid.amount).toBe(true);
        expect(decision.do === 'decline').toBe(status === 'failed' && (paid.status === 'begun' || paid.status === 'pending'));
      }),
    );
  });
});
