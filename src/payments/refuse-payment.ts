import { isAllowed } from '../accounts/roles.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { holdExpired, type OrderRow, statusAt } from '../orders/order.ts';
import type { PaymentBody } from './contract.ts';
import type { Payment } from './pay-orders.ts';
import type { AcceptedMethod, Providers } from './providers/open-providers.ts';
import { cardOutcomes } from './providers/sandbox/simulated-buyer.ts';

/** Returns the reason why an order cannot be paid this way, or null. */
export function refusePayment(
  order: OrderRow,
  payment: Payment,
  accepted: AcceptedMethod | undefined,
  providers: Providers,
): Problem | null {
  const { act, body } = payment;
  if (!accepted || !takes(accepted, order.currency)) return unavailable(body.method, order.currency, providers);
  return refuseOutcome(body, accepted) ?? refuseCash(order, payment) ?? refuseState(order, act.at) ?? refuseBuyer(order, body, accepted);
}

export const takes = ({ currencies }: AcceptedMethod, currency: string): boolean => currencies === null || currencies.includes(currency);

function unavailable(method: string, currency: string, { methods }: Providers): Problem {
  const available = [...methods.values()].filter((each) => takes(each, currency)).map((each) => each.method);
  const message = `This shop does not accept the payment method ${method}. Use one of: ${available.join(', ')}.`;
  const errors = [{ in: 'body' as const, field: 'method', code: 'unavailable', message }];
  return new Problem('payment_method_unavailable', message, { errors, extra: { methods: available } });
}

function refuseOutcome({ method, outcome }: PaymentBody, accepted: AcceptedMethod): Problem | null {
  if (outcome === undefined) return null;
  if (accepted.provider !== 'sandbox' && accepted.provider !== 'cash')
    return ruleViolation('outcome', 'sandbox', 'The outcome works only with payments of the sandbox. Leave it out.');
  if (method === 'pix' || cardOutcomes.includes(outcome)) return null;
  return ruleViolation('outcome', 'method', `The outcome ${outcome} works only with PIX. For ${method} send approve or decline.`);
}

function refuseCash(order: OrderRow, { act: { actor }, body }: Payment): Problem | null {
  if (body.method !== 'cash') return null;
  const sells = isAllowed(actor, 'order.sell', { producerId: order.producer_id, eventId: order.event_id });
  return sells ? null : new Problem('forbidden', 'Only crew members who sell at this event may take cash. Use another payment method.');
}

function refuseState(order: OrderRow, at: Date): Problem | null {
  const status = statusAt(order, at);
  if (status === 'expired') return holdExpired();
  if (status === 'approved')
    return new Problem('wrong_state', 'This order is already paid. Get its tickets with GET /orders/{id}/tickets.');
  if (status === 'cancelled' || status === 'refunded') return new Problem('wrong_state', `The order is ${status}. Place a new order.`);
  return order.event_status === 'cancelled'
    ? new Problem('wrong_state', 'The event is cancelled, so its orders can no longer be paid.')
    : null;
}

/**
 * Only held orders get here, and the buyer of a held order is never erased. So an order without a buyer never had one. Whoever pays in cash
 * gets printed tickets and need not be known. A free order has no payment, so it needs a buyer.
 */
function refuseBuyer(
  { id, total, buyer_email, buyer_document }: OrderRow,
  { method, address }: PaymentBody,
  { needs = [] }: AcceptedMethod,
): Problem | null {
  if (buyer_email === null && method === 'cash' && total > 0) return null;
  if (buyer_email === null) {
    return new Problem(
      'buyer_required',
      `The order has no buyer yet. Set the buyer with PUT /orders/${id}/buyer, then pay. Nothing was charged.`,
    );
  }
  if (needs.includes('address') && !address)
    return ruleViolation('address', 'required', `A payment by ${method} needs the address of the buyer. Send address.`);
  if (!needs.includes('document') || buyer_document !== null) return null;
  return new Problem(
    'buyer_required',
    `A payment by ${method} needs the CPF or CNPJ of the buyer. Set document with PUT /orders/${id}/buyer, then pay.`,
  );
}
