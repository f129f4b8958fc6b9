// Figure S8: how fast a full house is checked in, in batches of 50. Needs dist/, which `npm run build` makes.
//   node bench/checkins.mjs [--tickets 100000] [--rounds 3] [--connections 64] [--profile folder]
import { fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { signTicket } from '../dist/orders/ticket-code.js';
import { median } from './compare.mjs';
import { loadWith } from './load.mjs';
import { startService } from './service.mjs';
import { call, openShop } from './shop.mjs';

const batch = 50;

async function startEcho() {
  const child = fork(new URL('./bare-checkins-echo.mjs', import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [port] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) });
  return {
    port,
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

const toUtc = (ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** An event whose doors are open, with so many tickets sold; answers their codes. */
async function sellOut({ api, token, client }, tickets) {
  const post = (path, body) => call(api, token, 'POST', path, body);
  const { id: eventId } = await post('/event', { producerId: 1, title: 'Full house', category: 'music', timezone: 'UTC' });
  const hour = 3_600_000;
  await post(`/event/${eventId}/session`, { name: 'Night', start: toUtc(Date.now() - hour), finish: toUtc(Date.now() + 3 * hour) });
  await post(`/event/${eventId}/publish`, {});
  const { id: itemId } = await post('/items', { eventId, name: 'Standing' });
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d, x } = privateKey.export({ format: 'jwk' });
  await client.query('insert into ticket_key values ($1, 0, $2, $3, now())', [
    eventId,
    Buffer.from(x, 'base64url'),
    Buffer.from(d, 'base64url'),
  ]);
  const { rows } = await client.query(`
    with o as (
      insert into ticket_order (event_id, id, status, app_category_id, buyer_name, buyer_email, total, currency, secret_hash, created_at,
                                expires_at, approved_at)
      select ${eventId}, nextval('ticket_order_id'), 'approved', 1, 'Ana Souza', 'ana' || n || '@example.com', 0, 'BRL',
             sha256(n::text::bytea), now(), now(), now() from generate_series(1, ${tickets}) n returning event_id, id),
    l as (
      insert into order_line (event_id, order_id, item_id, session_ids, quantity, price, fee_sale, fee_producer, unlocked)
      select event_id, id, ${itemId}, array(select id from event_session where event_id = ${eventId}), 1, 0, 0, 0, false from o
      returning event_id, order_id, item_id)
    insert into ticket (event_id, order_id, item_id, created_at) select event_id, order_id, item_id, now() from l returning id`);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  const key = { eventId, kid: 0, privateKey };
  // People do not come in the order in which they bought.
  const ids = rows.map(({ id }) => Number(id)).toSorted((a, b) => ((a * 7919) % 10_007) - ((b * 7919) % 10_007));
  return { eventId, codes: ids.map((ticketId) => signTicket(key, { eventId, ticketId })) };
}

/** Batches as devices send them, ready to be written to a socket. */
function requestsFor({ eventId, codes }, token) {
  const requests = [];
  for (let from = 0; from < codes.length; from += batch) {
    const entries = codes.slice(from, from + batch).map((code, i) => ({
      code,
      at: new Date(Date.now() - 1_000 + i).toISOString(),
      gate: 'Gate A',
      device: `phone-${(from / batch) % 64}`,
      nonce: crypto.randomUUID(),
    }));
    const body = JSON.stringify({ entries });
    const head = `host: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    requests.push(`POST /v1/event/${eventId}/checkins HTTP/1.1\r\n${head}\r\n\r\n${body}`);
  }
  return requests;
}

function run(port, requests, connections) {
  let next = 0;
  return loadWith({ port, requestOf: () => requests[next++] ?? null, connections, ms: 120_000 });
}

/** A house of its own for each round, with the control before it in the same round. */
export async function measure({ tickets = 100_000, rounds = 3, connections = 64, nodeOptions = [] } = {}) {
  const service = await startService({}, nodeOptions);
  const echo = await startEcho();
  const client = await service.connect();
  try {
    const { token } = await openShop(service.api);
    const results = [];
    for (let round = 0; round <= rounds; round++) {
      const house = await sellOut({ api: service.api, token, client }, round === 0 ? Math.min(tickets, 10_000) : tickets);
      const requests = requestsFor(house, token);
      const control = await run(echo.port, requests, connections);
      const ours = await run(service.port, requests, connections);
      const { rows } = await client.query('select count(*) as inside from admission where event_id = $1 and not undone', [house.eventId]);
      if (Number(rows[0].inside) !== house.codes.length) throw new Error(`${rows[0].inside} of ${house.codes.length} came in`);
      if (round > 0) results.push({ ours, control, ratio: ours.perSecond / control.perSecond });
    }
    const ratio = median(results.map((result) => result.ratio));
    const { ours, control } = results.find((result) => result.ratio === ratio);
    return { figure: 'S8', ratio, must: 0.2, aim: 0.5, checkinsPerSecond: ours.perSecond * batch, ours, control };
  } finally {
    await client.end();
    await echo.stop();
    await service.stop();
  }
}

const told = ({ perSecond, p50, p99, statuses }) =>
  `${Math.round(perSecond)}/s p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms ${JSON.stringify(statuses)}`;

if (import.meta.url === `file://${process.argv[1]}`) {
  const { values: options } = parseArgs({
    options: {
      tickets: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
      profile: { type: 'string' },
    },
  });
  const { ratio, must, aim, checkinsPerSecond, ours, control } = await measure({
    tickets: Number(options.tickets),
    rounds: Number(options.rounds),
    connections: Number(options.connections),
    nodeOptions: options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [],
  });
  console.log(
    `S8 check-ins in batches of 50 : echo  ${ratio.toFixed(2)}  (must ${must}, aim ${aim}), ${Math.round(checkinsPerSecond)} check-ins/s`,
  );
  console.log(`    ours     ${told(ours)}\n    control  ${told(control)}`);
}
