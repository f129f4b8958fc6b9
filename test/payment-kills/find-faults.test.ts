import { describe, expect, it } from 'vitest';
import { type Facts, type Faults, findFaults, noFaults } from './find-faults.ts';

/**
 * Order 1 has two tickets for 10.01 each. Order 2 had two, and one was refunded. Order 3 was cancelled before its payment, so the money went
 * back. Nobody has paid order 4.
 */
const sound: Facts = {
  told: new Map([
    [1, { isApproved: true, refundedTickets: 0 }],
    [2, { isApproved: true, refundedTickets: 1 }],
    [3, { isApproved: false, refundedTickets: 0 }],
    [4, { isApproved: false, refundedTickets: 0 }],
  ]),
  orders: [
    { id: 1, status: 'approved', refundedTickets: 0, worth: 2002, booked: 2002 },
    { id: 2, status: 'approved', refundedTickets: 1, worth: 1001, booked: 1001 },
    { id: 3, status: 'cancelled', refundedTickets: 0, worth: 0, booked: 0 },
    { id: 4, status: 'held', refundedTickets: 0, worth: 0, booked: 0 },
  ],
  payments: [
    { reference: 'P1', status: 'approved' },
    { reference: 'P2', status: 'approved' },
    { reference: 'P3', status: 'refunded' },
    { reference: 'P4', status: 'declined' },
  ],
  refunds: [
    { reference: 'R2', amount: 1001, status: 'done' },
    { reference: 'R3', amount: 2002, status: 'done' },
  ],
  notices: [
    { id: 'N1', status: 'applied' },
    { id: 'N2', status: 'ignored' },
  ],
  charges: [
    { reference: 'P1', orderId: 1, amount: 2002 },
    { reference: 'P2', orderId: 2, amount: 2002 },
    { reference: 'P3', orderId: 3, amount: 2002 },
  ],
  returned: [
    { reference: 'R2', orderId: 2, amount: 1001 },
    { reference: 'R3', orderId: 3, amount: 2002 },
  ],
  payable: [],
};

type Lists = Omit<Facts, 'told'>;

/** Replaces fields of one row of a list. */
const changed = <L extends keyof Lists>(list: L, index: number, fields: Partial<Lists[L][number]>): Facts => ({
  ...sound,
  [list]: (sound[list] as object[]).map((row, i) => (i === index ? { ...row, ...fields } : row)),
});

const without = (list: keyof Lists, index: number): Facts => ({ ...sound, [list]: (sound[list] as unknown[]).toSpliced(index, 1) });
const added = <L extends keyof Lists>(list: L, row: Lists[L][number]): Facts => ({ ...sound, [list]: [...sound[list], row] });

describe('the judge of payments', () => {
  it('finds no fault if each charge has its tickets or its refund', () => {
    expect(findFaults(sound)).toEqual(noFaults);
  });

  it('a pending payment that nobody has paid waits for its buyer', () => {
    expect(findFaults(changed('payments', 3, { status: 'pending' }))).toEqual({ ...noFaults, waiting: ['P4'] });
  });
});

describe('control: the judge of payments finds', () => {
  const secondCharge = { reference: 'P1', orderId: 1, amount: 2002 };
  it.each<[string, Facts, Partial<Faults>]>([
    ['a second charge', added('charges', secondCharge), { doubleCharges: [1], paidForNothing: [1], ledger: [1] }],
    ['a charge without an order', added('charges', { ...secondCharge, orderId: 9 }), { paidForNothing: [9] }],
    ['a charge that is a cent too high', changed('charges', 0, { amount: 2003 }), { paidForNothing: [1], ledger: [1] }],
    ['tickets without a charge', without('charges', 0), { unpaidTickets: [1], ledger: [1] }],
    ['a missing ticket', changed('orders', 0, { worth: 1001 }), { paidForNothing: [1] }],
    ['an order that is not in the database', without('orders', 0), { paidForNothing: [1], broken: [1] }],
    ['a refund that never reached the provider', without('returned', 0), { paidForNothing: [2], lostRefunds: ['R2'], ledger: [2] }],
    ['a refund of another amount', changed('returned', 0, { amount: 1000 }), { paidForNothing: [2], lostRefunds: ['R2'], ledger: [2] }],
    [
      'a refund that was made twice',
      added('returned', { reference: 'R2', orderId: 2, amount: 1001 }),
      { doubleRefunds: ['R2'], unpaidTickets: [2], ledger: [2] },
    ],
    ['a refund that only the provider has', without('refunds', 0), { strangeRefunds: ['R2'] }],
    ['an amount that the ledger lacks', changed('orders', 0, { booked: 2001 }), { ledger: [1] }],
    ['an approved order that is held again', changed('orders', 0, { status: 'held' }), { broken: [1] }],
    ['an accepted refund of which nothing is known', changed('orders', 1, { refundedTickets: 0 }), { broken: [2] }],
    ['a begun payment', changed('payments', 3, { status: 'begun' }), { stuck: ['payment P4 is begun'] }],
    ['a paid payment that is pending', changed('payments', 0, { status: 'pending' }), { stuck: ['payment P1 is paid, but pending'] }],
    ['a begun refund', changed('refunds', 0, { status: 'begun' }), { stuck: ['refund R2 is begun'] }],
    ['a failed refund', changed('refunds', 1, { status: 'failed' }), { stuck: ['refund R3 is failed'] }],
    ['a notice that was not applied', changed('notices', 0, { status: 'received' }), { stuck: ['notice N1 is received'] }],
    ['a payment that can still be paid at the provider', { ...sound, payable: ['P4'] }, { stuck: ['payment P4 is open at the provider'] }],
  ])('%s', (_fault, facts, found) => {
    expect(findFaults(facts)).toEqual({ ...noFaults, ...found });
  });
});
