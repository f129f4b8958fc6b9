import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PaymentRow } from '../orders/payment.ts';
import { crc16, pixCodeOf } from '../orders/pix-code.ts';
import { decideNotice, type ToPay } from './decide-notice.ts';

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
  status: fc.constantFrom<ToPay['status']>('held', 'expired', 'cancelled', 'approved', 'refunded'),
  eventCancelled: fc.boolean(),
});
const told = fc.record({ event: fc.constantFrom('paid', 'failed', 'refunded', 'PAID', ''), amount });

describe('decideNotice', () => {
  it('whatever is told of whatever: money that came for the first time buys the order or goes back, and nothing else moves any', () => {
    fc.assert(
      fc.property(told, payment, order, (notice, paid, toPay) => {
        const verdict = decideNotice(notice, paid, toPay);
        const moves = verdict.do === 'approve' || verdict.do === 'return';
        const isNews = notice.event === 'paid' && (paid.status === 'pending' || paid.status === 'declined');
        expect(moves).toBe(isNews);
        const open = (toPay.status === 'held' || toPay.status === 'expired') && !toPay.eventCancelled;
        expect(verdict.do === 'approve').toBe(isNews && open && notice.amount >= paid.amount);
        expect(verdict.do !== 'approve' || notice.amount - verdict.tooMuch === paid.amount).toBe(true);
        expect(verdict.do === 'decline').toBe(notice.event === 'failed' && paid.status === 'pending');
      }),
    );
  });
});

describe('the code for the app of a bank', () => {
  it('has the check that every PIX code ends with', () => {
    // The check value of CRC-16/CCITT-FALSE.
    expect(crc16('123456789')).toBe(0x29b1);
    const code = pixCodeOf({ reference: 'ABC', amount: 105 });
    expect(code).toBe(
      `00020126450014br.gov.bcb.pix0123sandbox@tessera.example52040000530398654041.055802BR5915TESSERA SANDBOX6009SAO PAULO62070503ABC6304${code.slice(-4)}`,
    );
    expect(parseInt(code.slice(-4), 16)).toBe(crc16(code.slice(0, -4)));
  });
});
