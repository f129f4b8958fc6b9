// S8: how fast a full house is checked in, in batches of 50.
import { generateKeyPairSync } from 'node:crypto';
import { signTicket } from '../dist/orders/ticket-code.js';
import { compare } from './compare.mjs';
import { startEcho } from './echo.mjs';
import { loadWith } from './load.mjs';
import { startService } from './service.mjs';
import { call, openShop } from './shop.mjs';

const batch = 50;
const connections = 64;

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
      returning event_id, order_id, item_id, session_ids)
    insert into ticket (event_id, order_id, item_id, session_ids, holder, created_at)
    select event_id, order_id, item_id, session_ids, 'Ana Souza', now() from l returning id`);
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
export async function measure(_ids, { rounds, quick, progress, profile }) {
  const tickets = quick ? 10_000 : 100_000;
  const service = await startService({}, profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []);
  const echo = await startEcho('makeCheckins');
  const client = await service.connect();
  try {
    const { token } = await openShop(service.api);
    let requests = [];
    async function control() {
      progress(`S8: selling ${tickets} tickets`);
      const house = await sellOut({ api: service.api, token, client }, tickets);
      requests = requestsFor(house, token);
      progress('S8');
      return run(echo.port, requests, connections);
    }
    async function ours() {
      const result = await run(service.port, requests, connections);
      if (result.statuses[200] !== requests.length) throw new Error(`Answered ${JSON.stringify(result.statuses)}`);
      return result;
    }
    const result = await compare({ rounds, ours, control });
    return { S8: { ...result, tickets, checkinsPerSecond: result.ours.perSecond * batch } };
  } finally {
    await client.end();
    await echo.stop();
    await service.stop();
  }
}
