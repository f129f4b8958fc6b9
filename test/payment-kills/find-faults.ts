import type { Told } from './buyers.ts';

/** All that the judge looks at, from the database of the service and from the provider. Amounts are in cents. */
export interface Facts {
  /** What the service has told the buyers, by order. */
  told: ReadonlyMap<number, Told>;
  orders: OrderFacts[];
  payments: { reference: string; status: string }[];
  refunds: { reference: string; amount: number; status: string }[];
  notices: { id: string; status: string }[];
  /** The charges that succeeded at the provider. */
  charges: { reference: string; orderId: number; amount: number }[];
  /** The refunds at the provider that did not fail. */
  returned: { reference: string; orderId: number; amount: number }[];
  /** The references of payments that a buyer can still pay at the provider. */
  payable: string[];
}

interface OrderFacts {
  id: number;
  status: string;
  refundedTickets: number;
  /** What the valid tickets cost. */
  worth: number;
  /** The money that came in through the provider according to the ledger, minus the money that went back. */
  booked: number;
}

export interface Faults {
  /** Orders that were charged more than once. */
  doubleCharges: number[];
  /** References of refunds that were made more than once. */
  doubleRefunds: string[];
  /** Orders whose buyer paid more than the tickets are worth and the refunds returned. */
  paidForNothing: number[];
  /** Orders with tickets that nobody paid. */
  unpaidTickets: number[];
  /** References of refunds that the provider does not have with this amount. */
  lostRefunds: string[];
  /** References of refunds that only the provider has. */
  strangeRefunds: string[];
  /** Orders whose ledger differs from the provider. */
  ledger: number[];
  /** Orders that are not as the service has told the buyer. */
  broken: number[];
  /** Payments, refunds and notices that nobody finishes. */
  stuck: string[];
  /** Payments that wait for their buyers, and that end when their time is over. */
  waiting: string[];
}

export const noFaults: Faults = {
  doubleCharges: [],
  doubleRefunds: [],
  paidForNothing: [],
  unpaidTickets: [],
  lostRefunds: [],
  strangeRefunds: [],
  ledger: [],
  broken: [],
  stuck: [],
  waiting: [],
};

/** Compares the service with the provider. */
export function findFaults(facts: Facts): Faults {
  const { orders, refunds, charges, returned } = facts;
  const kept = keptByOrder(facts);
  const worthOf = new Map(orders.map(({ id, worth }) => [id, worth]));
  const known = new Map(refunds.map(({ reference, amount }) => [reference, amount]));
  const made = new Map(returned.map(({ reference, amount }) => [reference, amount]));
  const differing = (isWrong: (kept: number, worth: number) => boolean) =>
    [...new Set([...kept.keys(), ...worthOf.keys()])].filter((id) => isWrong(kept.get(id) ?? 0, worthOf.get(id) ?? 0));
  return {
    doubleCharges: repeated(charges.map(({ orderId }) => orderId)),
    doubleRefunds: repeated(returned.map(({ reference }) => reference)),
    paidForNothing: differing((money, worth) => money > worth),
    unpaidTickets: differing((money, worth) => money < worth),
    lostRefunds: [...known].filter(([reference, amount]) => made.get(reference) !== amount).map(([reference]) => reference),
    strangeRefunds: [...made.keys()].filter((reference) => !known.has(reference)),
    ledger: orders.filter(({ id, booked }) => booked !== (kept.get(id) ?? 0)).map(({ id }) => id),
    broken: brokenOrders(facts),
    ...openWork(facts),
  };
}

/** The money that the provider keeps of each order: its charges minus its refunds. */
function keptByOrder({ charges, returned }: Facts): Map<number, number> {
  const kept = new Map<number, number>();
  const add = (orderId: number, amount: number) => kept.set(orderId, (kept.get(orderId) ?? 0) + amount);
  for (const { orderId, amount } of charges) add(orderId, amount);
  for (const { orderId, amount } of returned) add(orderId, -amount);
  return kept;
}

const repeated = <T>(list: readonly T[]): T[] => [...new Set(list.filter((each, i) => list.indexOf(each) !== i))];

function brokenOrders({ told, orders }: Facts): number[] {
  const byId = new Map(orders.map((order) => [order.id, order]));
  const isAsTold = (id: number, { isApproved, refundedTickets }: Told): boolean => {
    const order = byId.get(id);
    return order?.refundedTickets === refundedTickets && (!isApproved || ['approved', 'refunded'].includes(order.status));
  };
  return [...told].filter(([id, each]) => !isAsTold(id, each)).map(([id]) => id);
}

/** A pending payment waits for its buyer, unless the provider has the money already. */
function openWork({ payments, refunds, notices, charges, payable }: Facts): Pick<Faults, 'stuck' | 'waiting'> {
  const paid = new Set(charges.map(({ reference }) => reference));
  const pending = payments.filter(({ status }) => status === 'pending').map(({ reference }) => reference);
  const waits = (reference: string) => !paid.has(reference);
  return {
    stuck: [
      ...payments.filter(({ status }) => status === 'begun').map(({ reference }) => `payment ${reference} is begun`),
      ...pending.filter((reference) => !waits(reference)).map((reference) => `payment ${reference} is paid, but pending`),
      ...refunds.filter(({ status }) => status !== 'done').map(({ reference, status }) => `refund ${reference} is ${status}`),
      ...notices.filter(({ status }) => status !== 'applied' && status !== 'ignored').map(({ id, status }) => `notice ${id} is ${status}`),
      ...payable.filter((reference) => !pending.includes(reference)).map((reference) => `payment ${reference} is open at the provider`),
    ],
    waiting: pending.filter(waits),
  };
}
