import { type InputError, Problem, ruleViolation } from '../kernel/problem.ts';
import type { RefundableTicket } from '../tickets/order-tickets.ts';
import type { RefundBody } from './contract.ts';
import type { LineRow, OrderRow } from './order.ts';

/** The tickets to refund. The `quantity` of each line is the quantity to refund. */
export interface ChosenRefund {
  lines: LineRow[];
  ticketIds: number[];
}

type Asked = Pick<RefundBody, 'lines' | 'ticketIds' | 'includeUsed'>;

/**
 * Chooses the tickets to refund: the ids in `ticketIds`, the quantities in `lines`, or all tickets that are not refunded yet. For
 * quantities, unused tickets are chosen before used tickets, and newer before older tickets. Used tickets are refunded only with
 * `includeUsed`.
 */
export function chooseRefund({ lines }: OrderRow, tickets: readonly RefundableTicket[], asked: Asked): ChosenRefund {
  if (asked.lines && asked.ticketIds) throw ruleViolation('ticketIds', 'exclusive', 'Send lines or ticketIds, not both.');
  const ticketIds = asked.ticketIds
    ? namedTickets(tickets, asked.ticketIds, asked.includeUsed === true)
    : countedTickets(lines, tickets, asked);
  const chosen = new Set(ticketIds);
  const countOf = (itemId: number) => tickets.filter((ticket) => ticket.itemId === itemId && chosen.has(ticket.id)).length;
  return { ticketIds, lines: lines.map((line) => ({ ...line, quantity: countOf(line.itemId) })).filter(({ quantity }) => quantity > 0) };
}

/** Collects errors, so that one response lists all of them. */
class Faults {
  readonly #errors: InputError[] = [];

  add(field: string, code: string, message: string): void {
    this.#errors.push({ in: 'body', field, code, message });
  }

  throwAny(): void {
    if (this.#errors.length > 0) throw new Problem('rule_violation', this.#errors[0]?.message, { errors: this.#errors });
  }
}

const howToIncludeUsed = 'Send includeUsed: true to refund used tickets too.';

function namedTickets(tickets: readonly RefundableTicket[], ids: readonly number[], includeUsed: boolean): number[] {
  const faults = new Faults();
  const known = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  for (const [i, id] of ids.entries()) {
    const ticket = known.get(id);
    const field = `ticketIds[${i}]`;
    if (!ticket) faults.add(field, 'unknown', `Ticket ${id} is not part of this order.`);
    else if (ids.indexOf(id) < i) faults.add(field, 'twice', `Ticket ${id} is listed twice. Send it once.`);
    else if (ticket.refunded) faults.add(field, 'refunded', `Ticket ${id} was already refunded.`);
    else if (ticket.used && !includeUsed) faults.add(field, 'used', `Ticket ${id} was used at the door. ${howToIncludeUsed}`);
  }
  faults.throwAny();
  return [...ids];
}

function countedTickets(lines: readonly LineRow[], tickets: readonly RefundableTicket[], asked: Asked): number[] {
  const faults = new Faults();
  const left = tickets.filter(({ refunded }) => !refunded);
  const wanted = asked.lines ?? lines.map(({ itemId, quantity, refunded }) => ({ itemId, quantity: quantity - refunded }));
  const ids = wanted.flatMap(({ itemId, quantity }, i) => {
    const line = lines.find((each) => each.itemId === itemId);
    const ofItem = left.filter((ticket) => ticket.itemId === itemId).toSorted(unusedFirst);
    const used = ofItem.slice(0, quantity).filter((ticket) => ticket.used);
    if (!line) faults.add(`lines[${i}].itemId`, 'unknown', `This order has no tickets of item ${itemId}.`);
    else if (wanted.findIndex((other) => other.itemId === itemId) < i)
      faults.add(`lines[${i}].itemId`, 'twice', `Item ${itemId} is listed twice. Send it once with the total quantity.`);
    else if (quantity > ofItem.length)
      faults.add(`lines[${i}].quantity`, 'maximum', `Only ${ofItem.length} tickets of ${line.name} are left to refund.`);
    else if (used.length > 0 && asked.includeUsed !== true) {
      const field = asked.lines ? `lines[${i}].quantity` : 'includeUsed';
      faults.add(field, 'used', `${used.length} of these ${quantity} tickets of ${line.name} were used at the door. ${howToIncludeUsed}`);
    }
    return ofItem.slice(0, quantity).map(({ id }) => id);
  });
  faults.throwAny();
  return ids;
}

const unusedFirst = (a: RefundableTicket, b: RefundableTicket): number => Number(a.used) - Number(b.used) || b.id - a.id;
