import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PaymentRow } from '../orders/payment.ts';
import { decideNotice, type OrderState } from './decide-notice.ts';

const amount = fc.integer({ min: 1, max: 1_000 });
const payment = fc.record({
  id: fc.constant(1),
  method: fc.constant('pix' as const),
  status: fc.constantFrom<PaymentRow['status']>('pending', 'approved', 'declined', 'refunded'),
  amount,
  received: fc.constant(0),
  returned: fc.constant(0),
  reference: fc.constant('REF'),
  createdAt: fc.constant('2026-03-02T12:00:00Z'),
});
const order = fc.record({
  status: fc.constantFrom<OrderState['status']>('held', 'expired', 'cancelled', 'approved', 'refunded'),
  eventCancelled: fc.boolean(),
});
const notice = fc.record({ event: fc.constantFrom('paid', 'failed', 'refunded', 'PAID', ''), amount });

describe('decideNotice', () => {
  it('approves or returns the first `paid` notice of a payment, and moves no money for any other notice', () => {
    fc.assert(
      fc.property(notice, payment, order, ({ event, amount: received }, paid, state) => {
        const decision = decideNotice({ event, amount: received }, paid, state);
        const movesMoney = decision.do === 'approve' || decision.do === 'return';
        const isFirstPaid = event === 'paid' && (paid.status === 'pending' || paid.status === 'declined');
        expect(movesMoney).toBe(isFirstPaid);
        const canBuy = (state.status === 'held' || state.status === 'expired') && !state.eventCancelled;
        expect(decision.do === 'approve').toBe(isFirstPaid && canBuy && received >= paid.amount);
        expect(decision.do !== 'approve' || received - decision.tooMuch === paid.amount).toBe(true);
        expect(decision.do === 'decline').toBe(event === 'failed' && paid.status === 'pending');
      }),
    );
  });
});
