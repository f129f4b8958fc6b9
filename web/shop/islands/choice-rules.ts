import type { Ticket, TicketGroup } from '../../../src/storefront/contract.ts';

export type Chosen = Readonly<Record<number, number>>;

/** Whether the buyer can choose a quantity. Items without a price cannot be ordered. */
export const isOpen = ({ status, finalPrice }: Ticket): boolean => status === 'available' && finalPrice !== null;

/** The smallest quantity that can be ordered, if any is ordered. */
export const least = ({ minimum }: Ticket): number => Math.max(1, minimum ?? 1);

/** The largest quantity of one item: its limit per order, what is left of it, and the limit of the event. */
export const most = (ticket: Ticket, maximumPerOrder: number): number =>
  Math.max(0, Math.min(ticket.maximum ?? maximumPerOrder, ticket.remaining ?? maximumPerOrder, maximumPerOrder));

/** The next quantity in a direction. Quantities below the minimum of the item are skipped. */
export function step(quantity: number, direction: 1 | -1, ticket: Ticket, maximumPerOrder: number): number {
  if (direction === 1) return Math.min(Math.max(quantity + 1, least(ticket)), most(ticket, maximumPerOrder));
  return quantity - 1 < least(ticket) ? 0 : quantity - 1;
}

/** The quantities that are still possible after the tickets have changed. */
export function clampChosen(chosen: Chosen, groups: readonly TicketGroup[], maximumPerOrder: number): Chosen {
  const tickets = groups.flatMap((group) => group.tickets);
  const possible = Object.entries(chosen).map(([id, quantity]) => {
    const ticket = tickets.find((each) => each.id === Number(id));
    return [id, ticket && isOpen(ticket) ? Math.min(quantity, most(ticket, maximumPerOrder)) : 0] as const;
  });
  return Object.fromEntries(possible.filter(([, quantity]) => quantity > 0));
}

export interface Sum {
  count: number;
  total: number;
  fees: number;
}

export function sumOf(chosen: Chosen, groups: readonly TicketGroup[]): Sum {
  const sum = { count: 0, total: 0, fees: 0 };
  for (const ticket of groups.flatMap((group) => group.tickets)) {
    const quantity = chosen[ticket.id] ?? 0;
    sum.count += quantity;
    sum.total += quantity * (ticket.finalPrice ?? 0);
    sum.fees += quantity * (ticket.feeSale ?? 0);
  }
  return sum;
}

/** The lowest and the highest total price of the tickets that can be chosen. Null if nothing is on sale. */
export function priceRange(groups: readonly TicketGroup[]): { lowest: number; highest: number } | null {
  const prices = groups.flatMap(({ tickets }) => tickets.filter(isOpen)).map(({ finalPrice }) => finalPrice ?? 0);
  return prices.length === 0 ? null : { lowest: Math.min(...prices), highest: Math.max(...prices) };
}

/** Tickets that the code of the buyer has unlocked come first, and so do their groups. */
export function unlockedFirst(groups: readonly TicketGroup[]): TicketGroup[] {
  const ordered = groups.map((group) => ({ ...group, tickets: startWith(group.tickets, ({ hidden }) => hidden) }));
  return startWith(ordered, ({ tickets }) => tickets.some(({ hidden }) => hidden));
}

const startWith = <T>(all: readonly T[], isFirst: (each: T) => boolean): T[] => [
  ...all.filter(isFirst),
  ...all.filter((each) => !isFirst(each)),
];
