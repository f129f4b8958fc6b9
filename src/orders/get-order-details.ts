import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { getOrderTickets } from './get-order-tickets.ts';
import type { OrderDetails } from './history-contract.ts';
import { getOrder } from './order-access.ts';
import { listOrderNotes } from './order-notes.ts';
import { getOrderTimeline } from './order-timeline.ts';

const firstPage = { pageSize: 200 };

/** Everything that the crew sees about an order, in one response. */
export async function getOrderDetails(tx: Tx, act: Act, id: number): Promise<OrderDetails> {
  const order = await getOrder(tx, act, id, undefined);
  const tickets = await getOrderTickets(tx, act, id, firstPage);
  const notes = await listOrderNotes(tx, id, firstPage);
  const timeline = await getOrderTimeline(tx, id, firstPage);
  return { order, tickets, notes, timeline };
}
