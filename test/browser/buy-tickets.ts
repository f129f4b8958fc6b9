import type { BrowserShop } from './use-browser.ts';

/** The event of the demo that the tests sell tickets of. */
export const eventId = 1;

export interface BoughtTicket {
  id: number;
  code: string;
  shortCode: string;
  orderId: number;
}

/** Buys tickets of the second lot with a card of the sandbox. */
export async function buyTickets({ service, query }: BrowserShop, quantity: number, name: string): Promise<BoughtTicket[]> {
  const [item] = await query<{ id: number }>(`select id from item where event_id = $1 and name = '2º lote'`, [eventId]);
  const buyer = { name, email: `ana${Math.floor(performance.now() * 1_000)}@example.com`, document: '12345678909' };
  const order = await service.call('POST', '/v1/orders', { body: { eventId, items: [{ itemId: Number(item?.id), quantity }], buyer } });
  if (order.status !== 201) throw new Error(JSON.stringify(order.body));
  const { id, secret } = order.body as { id: number; secret: string };
  const payment = await service.call('POST', `/v1/orders/${id}/payment?secret=${secret}`, { body: { method: 'card' } });
  if (payment.status !== 201) throw new Error(JSON.stringify(payment.body));
  const tickets = await service.call('GET', `/v1/orders/${id}/tickets?secret=${secret}`);
  return (tickets.body as { data: BoughtTicket[] }).data.map((ticket) => ({ ...ticket, orderId: id }));
}
