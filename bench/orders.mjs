// Figures S1, S2, S3 and G1: how fast orders are placed. Needs dist/, which `npm run build` makes.
//   node bench/orders.mjs [--only S1,S2,S3,G1] [--ms 4000] [--rounds 3] [--behind 1000000] [--profile folder]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { loadWith } from './load.mjs';
import { median } from './median.mjs';
import { startService } from './service.mjs';
import { openShop } from './shop.mjs';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'S1,S2,S3,G1' },
    ms: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '3' },
    behind: { type: 'string', default: '1000000' },
    profile: { type: 'string' },
  },
});
const only = options.only.split(',');
const rounds = Number(options.rounds);
const clients = 256;
// No machine takes longer than this; if it does, something hangs and nothing may be left behind.
const mostMs = 20 * 60_000;

let buyers = 0;
/** Everybody buys one ticket and is somebody else. */
function ordersFor(places, { keyed = false } = {}) {
  return () => {
    const n = ++buyers;
    const { eventId, itemIds } = places[n % places.length];
    const itemId = itemIds[Math.floor(n / places.length) % itemIds.length];
    const body = `{"eventId":${eventId},"items":[{"itemId":${itemId},"quantity":1}],"buyer":{"name":"Ana Souza","email":"ana${n}@example.com","document":"${100_000_000 + n}"}}`;
    const key = keyed ? `idempotency-key: order-${n}\r\n` : '';
    return `POST /v1/orders HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${key}content-length: ${body.length}\r\n\r\n${body}`;
  };
}

const run = (port, requestOf, connections = clients) => loadWith({ port, requestOf, connections, ms: Number(options.ms) });

async function startEcho() {
  const child = fork(new URL('./bare-echo.mjs', import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [port] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) });
  return {
    port,
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

const told = ({ perSecond, p50, p99, statuses }) =>
  `${Math.round(perSecond)}/s p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms ${JSON.stringify(statuses)}`;

/** Both by turns, after a round to warm up; prints the round whose ratio is the median one. */
async function compare(figure, must, ours, control, ratioOf = (a, b) => a.perSecond / b.perSecond) {
  const results = [];
  for (let round = 0; round <= rounds; round++) {
    const other = await control();
    const own = await ours();
    if (round > 0) results.push({ own, other, ratio: ratioOf(own, other) });
  }
  const ratio = median(results.map((result) => result.ratio));
  const { own, other } = results.find((result) => result.ratio === ratio);
  console.log(`${figure.padEnd(46)} ${ratio.toFixed(2)}  (${must})\n    ours     ${told(own)}\n    control  ${told(other)}`);
}

async function measureHot(service, shop, echo) {
  const hot = [await shop.createEvent()];
  if (only.includes('S1')) {
    await compare(
      'S1 one hot item : echo',
      'must 0.35, aim 0.6',
      () => run(service.port, ordersFor(hot)),
      () => run(echo.port, ordersFor(hot)),
    );
    const keyed = ordersFor(hot, { keyed: true });
    await compare(
      'S1 with Idempotency-Key : echo',
      'beside it',
      () => run(service.port, keyed),
      () => run(echo.port, keyed),
    );
  }
  if (only.includes('S3')) {
    const many = [];
    for (let i = 0; i < 50; i++) many.push(await shop.createEvent({ items: 4 }));
    await compare(
      'S3 200 items of 50 events : echo',
      'must 0.25, aim 0.5',
      () => run(service.port, ordersFor(many)),
      () => run(echo.port, ordersFor(many)),
    );
  }
}

async function measureAlone(service, shop) {
  const single = await startService({}, [`--import=${new URL('./one-transaction-each.mjs', import.meta.url).href}`]);
  try {
    const [hot, other] = [[await shop.createEvent()], [await (await openShop(single.api)).createEvent()]];
    await compare(
      'S2 gathered : one transaction each',
      'must 8, aim 15',
      () => run(service.port, ordersFor(hot)),
      () => run(single.port, ordersFor(other)),
    );
  } finally {
    await single.stop();
  }
}

/** Paid orders of other buyers, each with its ticket, as selling them would have left them. */
async function fill(service, { eventId, itemIds: [itemId] }, count) {
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
        select event_id, id, ${itemId}, array(select id from event_session where event_id = ${eventId}), 1, 8000, 800, 200, false from o),
      t as (insert into ticket (event_id, order_id, item_id, created_at) select event_id, id, ${itemId}, now() from o),
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

async function measureGrowth(service, shop) {
  const behind = Number(options.behind);
  const full = await startService();
  try {
    const few = await shop.createEvent();
    const many = await (await openShop(full.api)).createEvent();
    await fill(service, few, 1_000);
    await fill(full, many, behind);
    const cost = (own, other) => other.perSecond / own.perSecond;
    for (const connections of [1, clients]) {
      const figure = `G1 ${behind} : 1000 orders behind, ${connections} at once`;
      await compare(
        figure,
        'at most 1.3, aim 1.1',
        () => run(full.port, ordersFor([many]), connections),
        () => run(service.port, ordersFor([few]), connections),
        cost,
      );
    }
  } finally {
    await full.stop();
  }
}

const cut = setTimeout(() => {
  console.error('This takes too long: given up');
  process.exit(1);
}, mostMs);
const profile = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];
const service = await startService({}, profile);
const echo = await startEcho();
try {
  const shop = await openShop(service.api);
  if (only.includes('S1') || only.includes('S3')) await measureHot(service, shop, echo);
  if (only.includes('S2')) await measureAlone(service, shop);
  if (only.includes('G1')) await measureGrowth(service, shop);
} finally {
  await echo.stop();
  await service.stop();
  clearTimeout(cut);
}
