import { isAllowed } from '../accounts/roles.ts';
import { requireReadableEvent } from '../events/require-readable-event.ts';
import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import type { PaymentMethod } from './contract.ts';
import { selectSeller } from './payments.sql.ts';
import type { AcceptedMethod, Providers } from './providers/open-providers.ts';
import { takes } from './refuse-payment.ts';

/** Lists how the tickets of an event can be paid. Only callers who sell at the event can take cash, so only they see it. */
export async function listPaymentMethods(
  tx: Tx,
  { actor }: Act,
  { methods }: Providers,
  eventId: number,
): Promise<{ data: PaymentMethod[] }> {
  await requireReadableEvent(tx, actor, eventId);
  const { producerId, currency } = await selectSeller(tx, eventId);
  const sells = isAllowed(actor, 'order.sell', { producerId, eventId });
  const offered = [...methods.values()].filter((each) => takes(each, currency) && (each.method !== 'cash' || sells));
  return { data: offered.map(describe) };
}

const describe = ({ method, provider, currencies, action, component, needs = [] }: AcceptedMethod): PaymentMethod => ({
  method,
  provider,
  currencies: currencies && [...currencies],
  action,
  component: component ?? null,
  needs: [...needs],
});
