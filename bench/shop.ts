import { setTimeout as sleep } from 'node:timers/promises';
import { demoPassword, people } from '../src/demo/people.ts';
import type { Service } from '../test/process.ts';

/** The time after which the shop logs in again. Access tokens are valid for 15 minutes, and some runs take longer. */
const renewAfterMs = 10 * 60_000;
const maxAttempts = 20;
const salesPeriod = { start: '2020-01-01 00:00:00', finish: '2098-01-01 00:00:00' };
const night = { start: '2098-06-01 20:00:00', finish: '2098-06-01 23:00:00' };

/** An event and its items. */
export interface Sale {
  eventId: number;
  itemIds: [number, ...number[]];
}

interface EventOptions {
  items?: number;
  quantity?: number;
  perBuyer?: number;
  timezone?: string;
  /** Start and end of the only session, in the time zone of the event. */
  session?: { start: string; finish: string };
}

type Call = <T>(method: 'GET' | 'POST', path: string, body?: object) => Promise<T>;

export interface Shop {
  /** Returns an access token that is valid for at least five minutes. */
  token(): Promise<string>;
  /** Returns the body of the response. Throws on an error. */
  call: Call;
  createEvent(options?: EventOptions): Promise<Sale>;
}

/** Returns functions that call the API as the owner of the first demo producer. */
export function openShop(service: Service): Shop {
  let login: { accessToken: string; at: number } | null = null;
  async function token(): Promise<string> {
    if (login === null || performance.now() - login.at > renewAfterMs) {
      const body = { email: people.producer.email, password: demoPassword };
      const { accessToken } = (await send(service, 'POST', '/auth/login', { body })) as { accessToken: string };
      login = { accessToken, at: performance.now() };
    }
    return login.accessToken;
  }
  const call: Call = async <T>(method: 'GET' | 'POST', path: string, body?: object) =>
    (await send(service, method, path, { token: await token(), body })) as T;
  return { token, call, createEvent: (options) => createEvent(call, options) };
}

/** Sends a request. Retries while the service returns 503, which can happen shortly after its start. */
async function send(service: Service, method: 'GET' | 'POST', path: string, request: { token?: string; body?: unknown }): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const { status, body } = await service.call(method, `/v1${path}`, request);
    if (status < 300) return body;
    if (status !== 503 || attempt === maxAttempts) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    await sleep(500);
  }
}

let events = 0;

/** Creates an event with every kind of limit: per item, group, session, sales period and buyer. */
async function createEvent(
  call: Call,
  { items = 1, quantity = 100_000_000, perBuyer = 4, timezone = 'America/Sao_Paulo', session = night }: EventOptions = {},
): Promise<Sale> {
  const post = (path: string, body: object) => call<{ id: number }>('POST', path, body);
  const { id: eventId } = await post('/event', { producerId: 1, title: `On sale ${++events}`, category: 'music', timezone });
  await post(`/event/${eventId}/session`, { name: 'Night', ...session, capacity: quantity });
  await post(`/event/${eventId}/publish`, {});
  const group = await post('/items', { eventId, name: 'Stadium', type: 'group', quantity });
  const createItem = async () => {
    const { id } = await post('/items', { eventId, parentId: group.id, name: 'Standing', quantity });
    await post(`/items/${id}/values`, { price: 8000, feeSale: 800, feeProducer: 200 });
    await post(`/items/${id}/sales-period`, { appCategoryId: 1, ...salesPeriod, available: quantity });
    await post(`/items/${id}/attributes`, { key: 'maximum', value: perBuyer, type: 'integer' });
    await post(`/items/${id}/attributes`, { key: 'maximumPerBuyer', value: perBuyer, type: 'integer' });
    return id;
  };
  const itemIds: Sale['itemIds'] = [await createItem()];
  while (itemIds.length < items) itemIds.push(await createItem());
  return { eventId, itemIds };
}
