import { expect } from 'vitest';
import { buyTickets } from './buy-tickets.ts';
import type { BrowserShop } from './use-browser.ts';

/** Adds what the demo has none of, for the screens that show one of them: an order and a webhook, both with the id 1. Nobody listens at its address. */
export async function addFirstRows(shop: BrowserShop): Promise<void> {
  await buyTickets(shop, 2, 'Ana Souza');
  const { token } = await shop.service.logIn('producer@demo.test');
  const body = { url: 'https://hooks.example/tessera', types: ['order.approved'] };
  expect((await shop.service.call('POST', '/v1/producers/1/webhooks', { token, body })).status).toBe(201);
  expect((await shop.service.call('POST', '/v1/producers/1/webhooks/1/test', { token })).status).toBe(202);
}
