import { demoPassword, people } from '../dist/demo/people.js';

const span = { start: '2020-01-01 00:00:00', finish: '2098-01-01 00:00:00' };

/** Asks the API, again while it is busy, as it is when it has just started; an answer that is not a success is an error. */
export async function call(api, token, method, path, body, tries = 10) {
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(api + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const json = await answer.json();
  if (answer.status === 503 && tries > 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    return call(api, token, method, path, body, tries - 1);
  }
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
  return json;
}

/** Lets the owner of the first producer of the demo make events. */
export async function openShop(api) {
  const { accessToken: token } = await call(api, null, 'POST', '/auth/login', { email: people.producer.email, password: demoPassword });
  const post = (path, body) => call(api, token, 'POST', path, body);
  let made = 0;
  /** An event with items that have every kind of limit: their own, their group's, the session's, the period's and one per buyer. */
  async function createEvent({ items = 1, quantity = 100_000_000, perBuyer = 4, challenge = 'off' } = {}) {
    // Most loads come from one address, which `auto` would challenge.
    const settings = { category: 'music', timezone: 'America/Sao_Paulo', challenge };
    const event = await post('/event', { producerId: 1, title: `On sale ${++made}`, ...settings });
    await post(`/event/${event.id}/session`, {
      name: 'Night',
      start: '2098-06-01 20:00:00',
      finish: '2098-06-01 23:00:00',
      capacity: quantity,
    });
    await post(`/event/${event.id}/publish`, {});
    const group = await post('/items', { eventId: event.id, name: 'Stadium', type: 'group', quantity });
    const itemIds = [];
    for (let i = 0; i < items; i++) {
      const { id } = await post('/items', { eventId: event.id, parentId: group.id, name: 'Standing', quantity });
      await post(`/items/${id}/values`, { price: 8000, feeSale: 800, feeProducer: 200 });
      await post(`/items/${id}/sales-period`, { appCategoryId: 1, ...span, available: quantity });
      await post(`/items/${id}/attributes`, { key: 'maximum', value: perBuyer, type: 'integer' });
      await post(`/items/${id}/attributes`, { key: 'maximumPerBuyer', value: perBuyer, type: 'integer' });
      itemIds.push(id);
    }
    return { eventId: event.id, itemIds };
  }
  return { token, createEvent };
}
