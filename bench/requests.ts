import type { Sale } from './shop.ts';

export type Headers = Record<string, string>;

/** The headers that a browser sends with a request of a shop page. */
const browser: Headers = {
  host: 'tickets.example',
  'user-agent':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  accept: 'application/json',
  'accept-language': 'pt-BR,pt;q=0.9,en;q=0.8',
  'accept-encoding': 'gzip, deflate, br',
  origin: 'https://tickets.example',
  referer: 'https://tickets.example/',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
  'x-forwarded-proto': 'https',
};

/** The headers that the script of a shop page sends when it reads from the API. */
export const requestHeaders: Headers = Object.fromEntries(
  Object.entries(browser).filter(([name]) => name !== 'content-type' && name !== 'origin'),
);

/** The headers that a browser sends when somebody opens a page. */
export const pageHeaders: Headers = {
  ...requestHeaders,
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
};

/** The headers that the app of a scanner at the door sends. */
const device: Headers = {
  host: 'tickets.example',
  'user-agent': 'TesseraDoor/1.4 (Android 15; SM-A546E) okhttp/4.12.0',
  accept: 'application/json',
  'accept-encoding': 'gzip',
  'content-type': 'application/json',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '10.0.0.1',
};

/** Makes the service trust the reverse proxy, so that it gets the network address of each buyer from the headers. */
export const behindProxy = { TRUST_PROXY: 'on' };

/** Returns a different network address for each buyer, as in a real sale. Many orders from one network would need a challenge. */
const networkOf = (buyer: number): string => `10.${(buyer >> 16) & 255}.${(buyer >> 8) & 255}.${buyer & 255}`;

/** Returns the headers of a request of a buyer, as a reverse proxy forwards them. */
export const buyerHeaders = (buyer: number, idempotencyKey: string): Headers => ({
  ...browser,
  'x-forwarded-for': networkOf(buyer),
  'idempotency-key': idempotencyKey,
});

const toLines = (headers: Headers): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

/** Returns a POST request as text. `headers` has header lines with their line ends. `body` must be ASCII. */
const post = (path: string, headers: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;

/** Returns a GET request as text. */
export const getRequest = (path: string, headers: Headers): string => `GET ${path} HTTP/1.1\r\n${toLines(headers)}\r\n`;

let buyers = 0;
const browserLines = toLines(browser);

interface OrderOptions {
  /** Whether an order has one ticket, or one ticket of every item of the event. */
  cart?: 'one item' | 'all items';
  /** Whether the path contains the event, so that a proxy can lead all orders of an event to one process. */
  path?: 'without event' | 'with event';
}

/** Returns a function that makes orders. Each order has a new buyer. */
export function orderRequests(sales: readonly Sale[], { cart = 'one item', path = 'without event' }: OrderOptions = {}): () => string {
  const inPath = path === 'with event';
  const cartsOf = ({ eventId, itemIds }: Sale) => {
    const lines = itemIds.map((itemId) => ({ itemId, quantity: 1 }));
    const carts = cart === 'one item' ? lines.map((line) => [line]) : [lines];
    return carts.map((items, turn) => ({
      turn,
      path: inPath ? `/v1/event/${eventId}/orders` : '/v1/orders',
      opening: JSON.stringify(inPath ? { items } : { eventId, items }).slice(0, -1),
    }));
  };
  // Events take turns, so that consecutive orders are for different events.
  const kinds = sales.flatMap(cartsOf).toSorted((a, b) => a.turn - b.turn);
  return () => {
    const n = ++buyers;
    const kind = kinds[n % kinds.length];
    const buyer = `"buyer":{"name":"Ana Souza","email":"ana${n}@example.com","document":"${100_000_000 + n}"}`;
    const headers = `${browserLines}x-forwarded-for: ${networkOf(n)}\r\nidempotency-key: order-${n}\r\n`;
    return post(kind?.path ?? '', headers, `${kind?.opening},${buyer}}`);
  };
}

/** Returns requests that check in these codes in batches, from many devices. They have no Idempotency-Key, because each entry has a nonce. */
export function checkinRequests(eventId: number, codes: readonly string[], { batch, token }: { batch: number; token: string }): string[] {
  const headers = toLines({ ...device, authorization: `Bearer ${token}` });
  return Array.from({ length: Math.ceil(codes.length / batch) }, (_, n) => {
    const entries = codes.slice(n * batch, (n + 1) * batch).map((code, i) => ({
      code,
      at: new Date(Date.now() - 1_000 + i).toISOString(),
      gate: 'Gate A',
      device: `phone-${n % 64}`,
      nonce: crypto.randomUUID(),
    }));
    return post(`/v1/event/${eventId}/checkins`, headers, JSON.stringify({ entries }));
  });
}
