import type { BrowserShop } from './use-browser.ts';

/** Sends a POST request that must succeed. */
export async function write({ service }: BrowserShop, path: string, body: object, token = ''): Promise<{ id: number; secret: string }> {
  const answer = await service.call('POST', `/v1${path}`, { body, ...(token && { token }) });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  return answer.body as { id: number; secret: string };
}

/** Adds an item to the first event of the demo. */
export async function newItem(shop: BrowserShop, name: string, quantity: number): Promise<number> {
  const { token } = await shop.service.logIn('producer@demo.test');
  const { id } = await write(shop, '/items', { eventId: 1, name, quantity }, token);
  await write(shop, `/items/${id}/values`, { price: 1000, feeSale: 0, feeProducer: 0 }, token);
  const [event] = await shop.query<{ finish: string }>(
    `select to_char(max(starts_at) at time zone 'America/Sao_Paulo', 'YYYY-MM-DD HH24:MI:SS') as finish from event_session where event_id = 1`,
  );
  const period = { appCategoryId: 1, start: '2026-01-01 00:00:00', finish: event?.finish, available: quantity };
  await write(shop, `/items/${id}/sales-period`, period, token);
  return id;
}
