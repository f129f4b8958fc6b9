// S1, S2, S3 and G1: how fast orders are placed.
import { compare } from './compare.mjs';
import { startEcho } from './echo.mjs';
import { loadWith } from './load.mjs';
import { startService } from './service.mjs';
import { openShop } from './shop.mjs';

const clients = 256;
/** The service takes the network of a buyer from `X-Forwarded-For`. */
const behindProxy = { TRUST_PROXY: 'on' };
const counted = { challenge: 'auto' };

let buyers = 0;
/** Each order is one ticket for another buyer on another network, so that the holds of all networks are counted as in a real sale. */
function ordersFor(places, { keyed = false } = {}) {
  return () => {
    const n = ++buyers;
    const { eventId, itemIds } = places[n % places.length];
    const itemId = itemIds[Math.floor(n / places.length) % itemIds.length];
    const body = `{"eventId":${eventId},"items":[{"itemId":${itemId},"quantity":1}],"buyer":{"name":"Ana Souza","email":"ana${n}@example.com","document":"${100_000_000 + n}"}}`;
    const key = keyed ? `idempotency-key: order-${n}\r\n` : '';
    const network = `x-forwarded-for: 10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}\r\n`;
    return `POST /v1/orders HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${network}${key}content-length: ${body.length}\r\n\r\n${body}`;
  };
}

/** Paid orders of other buyers, each with its ticket, as selling them would have left them. */
export async function fill(service, { eventId, itemIds: [itemId] }, count) {
  const client = await service.connect();
  try {
    await client.query(`
      with o as (
        insert into ticket_order (event_id, id, status, app_category_id, buyer_name, buyer_email, total, currency, secret_hash, created_at,
                                  expires_at, approved_at)
        select ${eventId}, nextval('ticket_order_id'), 'approved', 1, 'Early Bird', 'early' || n || '@example.com', 8800, 'BRL',
               sha256(n::text::bytea), now(), now(), now() from generate_series(1, ${count}) n returning event_id, id),
      l as (
        insert into order_line (event_id, order_id, item_id, session_ids, quantity, price, fee_sale, fee_producer, unlocked)
        select event_id, id, ${itemId}, array(select id from event_session where event_id = ${eventId}), 1, 8000, 800, 200, false from o
        returning event_id, order_id, item_id, session_ids),
      t as (
        insert into ticket (event_id, order_id, item_id, session_ids, holder, created_at)
        select event_id, order_id, item_id, session_ids, 'Early Bird', now() from l),
      b as (
        insert into item_buyer (event_id, item_id, buyer, taken, most)
        select ${eventId}, ${itemId}, substr(sha256(('early' || n)::bytea), 1, 16), 1, 4 from generate_series(1, ${count}) n),
      i as (update item set sold = sold + ${count} where event_id = ${eventId}),
      s as (update event_session set sold = sold + ${count} where event_id = ${eventId})
      update sale_period set sold = sold + ${count} where item_id = ${itemId}`);
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

export async function measure(ids, { rounds, quick, progress, profile }) {
  const run = (port, requestOf, connections = clients) => loadWith({ port, requestOf, connections, ms: quick ? 1_000 : 4_000 });
  const service = await startService(behindProxy, profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []);
  const echo = await startEcho('createOrder');
  const found = {};
  const against = (control, places, options) =>
    compare({
      rounds,
      ours: () => run(service.port, ordersFor(places, options)),
      control: () => run(control.port, ordersFor(places, options)),
    });

  /** The same service and rules, but every order in a transaction of its own. */
  async function measureAlone(shop) {
    const single = await startService(behindProxy, [`--import=${new URL('./one-transaction-each.mjs', import.meta.url).href}`]);
    try {
      const [hot, other] = [[await shop.createEvent(counted)], [await (await openShop(single.api)).createEvent(counted)]];
      return await compare({ rounds, ours: () => run(service.port, ordersFor(hot)), control: () => run(single.port, ordersFor(other)) });
    } finally {
      await single.stop();
    }
  }

  async function measureGrowth(shop) {
    const behind = quick ? 10_000 : 1_000_000;
    const full = await startService(behindProxy);
    try {
      const few = await shop.createEvent(counted);
      const many = await (await openShop(full.api)).createEvent(counted);
      await fill(service, few, 1_000);
      await fill(full, many, behind);
      const growth = (connections) =>
        compare({
          rounds,
          ours: () => run(full.port, ordersFor([many]), connections),
          control: () => run(service.port, ordersFor([few]), connections),
          ratioOf: (own, other) => other.perSecond / own.perSecond,
        });
      return { ...(await growth(1)), crowd: await growth(clients), behind };
    } finally {
      await full.stop();
    }
  }

  try {
    const shop = await openShop(service.api);
    if (ids.includes('S1')) {
      progress('S1');
      const hot = [await shop.createEvent(counted)];
      found.S1 = { ...(await against(echo, hot)), keyed: await against(echo, hot, { keyed: true }) };
    }
    if (ids.includes('S3')) {
      progress('S3');
      const many = [];
      for (let i = 0; i < 50; i++) many.push(await shop.createEvent({ items: 4, ...counted }));
      found.S3 = await against(echo, many);
    }
    if (ids.includes('S2')) {
      progress('S2');
      found.S2 = await measureAlone(shop);
    }
    if (ids.includes('G1')) {
      progress('G1');
      found.G1 = await measureGrowth(shop);
    }
    return found;
  } finally {
    await echo.stop();
    await service.stop();
  }
}
