import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { createLink } from '../orders/order-links.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { OpenedOffer } from './contract.ts';
import { requireEntry, statusAt } from './entry.ts';

/** Creates a link to the order of an open offer. After the purchase only the mail of the order links to it: the buyer may be another person. */
export async function openWaitingListOffer(tx: Tx, act: Act, eventId: number, token: string): Promise<OpenedOffer> {
  const entry = await requireEntry(tx, eventId, token);
  if (entry.order_id === null || statusAt(entry, act.at) !== 'offered')
    throw new Problem('wrong_state', 'There is no open offer for this entry.');
  const secret = await createLink(tx, { eventId, id: entry.order_id }, act.at);
  await record(tx, act, { subject: 'waiting_list', id: entry.id, eventId, after: { opened: entry.order_id } });
  return { orderId: entry.order_id, secret };
}
