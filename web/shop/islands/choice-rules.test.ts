import { expect, it } from 'vitest';
import type { Ticket, TicketGroup } from '../../../src/storefront/contract.ts';
import { clampChosen, most, priceRange, step, sumOf, unlockedFirst } from './choice-rules.ts';

const ticket = (changes: Partial<Ticket> = {}): Ticket => ({
  id: 1,
  name: '2º lote',
  description: '',
  type: 'ticket',
  price: 8_000,
  feeSale: 800,
  finalPrice: 8_800,
  currency: 'BRL',
  status: 'available',
  hidden: false,
  minimum: null,
  maximum: 6,
  start: null,
  finish: null,
  remaining: null,
  sessionIds: [],
  ...changes,
});
const groupOf = (...tickets: Ticket[]): TicketGroup[] => [{ id: null, name: null, description: null, status: 'available', tickets }];

it('the most that can be chosen is the least of the limits and what is left', () => {
  expect(most(ticket(), 20)).toBe(6);
  expect(most(ticket({ remaining: 2 }), 20)).toBe(2);
  expect(most(ticket({ maximum: null }), 4)).toBe(4);
  expect(most(ticket({ remaining: 0 }), 20)).toBe(0);
});

it('steps skip the quantities below the minimum of the item', () => {
  const pack = ticket({ minimum: 4 });
  expect(step(0, 1, pack, 20)).toBe(4);
  expect(step(4, 1, pack, 20)).toBe(5);
  expect(step(4, -1, pack, 20)).toBe(0);
  expect(step(6, 1, pack, 20)).toBe(6);
});

it('when tickets sell out, the quantities shrink to what is left', () => {
  const chosen = { 1: 4, 2: 3, 3: 1 };
  const next = groupOf(ticket({ remaining: 2 }), ticket({ id: 2, status: 'soldout', remaining: 0 }));
  expect(clampChosen(chosen, next, 20)).toEqual({ 1: 2 });
});

it('the sum has the total that the buyer pays and the fees in it', () => {
  expect(sumOf({ 1: 2, 2: 1 }, groupOf(ticket(), ticket({ id: 2, finalPrice: 0, feeSale: 0 })))).toEqual({
    count: 3,
    total: 17_600,
    fees: 1_600,
  });
});

it('the prices are those of the tickets on sale', () => {
  expect(priceRange(groupOf(ticket(), ticket({ finalPrice: 0 }), ticket({ finalPrice: 1, status: 'soldout' })))).toEqual({
    lowest: 0,
    highest: 8_800,
  });
  expect(priceRange(groupOf(ticket({ status: 'finished' })))).toBeNull();
});

it('tickets that a code has unlocked come first, and so do their groups', () => {
  const groups = [...groupOf(ticket()), ...groupOf(ticket({ id: 2 }), ticket({ id: 3, hidden: true }))];
  expect(unlockedFirst(groups).map(({ tickets }) => tickets.map(({ id }) => id))).toEqual([[3, 2], [1]]);
});
