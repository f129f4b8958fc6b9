// How fast a batch of passkeys is, through HTTP, beside a bare insert of the same rows into the same tables: node bench/passkey-batch.mjs
// Needs dist/, which `npm run build` makes.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSigningKey } from '../dist/accounts/signing-keys.js';
import { createApp } from '../dist/app.js';
import { readConfig } from '../dist/config.js';
import { demoPassword, people } from '../dist/demo/people.js';
import { seedDemo } from '../dist/demo/seed.js';
import { systemAct } from '../dist/kernel/act.js';
import { randomCodes } from '../dist/passkeys/random-codes.js';
import { connect } from '../dist/postgres/database.js';
import { startEmbedded } from '../dist/postgres/embedded/server.js';
import { migrate } from '../dist/postgres/migrate.js';
import { inTransaction } from '../dist/postgres/transaction.js';
import { median } from './median.mjs';

const codesInBatch = 100_000;
const itemsOfEach = 3;
const rounds = 3;
const least = 0.3;

const dataDir = mkdtempSync(join(tmpdir(), 'tessera-bench-'));
// As root PostgreSQL runs as somebody else, who must be able to enter.
chmodSync(dataDir, 0o755);
const server = await startEmbedded({ dataDir, durable: true, log: () => undefined, onLost: console.error });
const { db, pool, close } = connect({ url: server.url, onError: console.error });
await migrate(pool);
await inTransaction(db, {}, async (tx) => {
  const act = systemAct('bench', new Date());
  await ensureSigningKey(tx, act);
  await seedDemo(tx, act);
});
const app = await createApp(readConfig({ LOG_LEVEL: 'silent' }), { db, clock: () => new Date() });
const api = `${await app.listen({ port: 0, host: '127.0.0.1' })}/v1`;

async function post(path, body, token) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(api + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return answer.json();
}

const { accessToken } = await post('/auth/login', { email: people.producer.email, password: demoPassword });
const { rows: items } = await pool.query('select id, event_id from item where event_id = 1 order by id limit $1', [itemsOfEach]);
const itemIds = items.map(({ id }) => id);

async function secondsOf(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

const throughHttp = (codes) => post('/event/1/passkeys', { codes, itemIds, limit: 2 }, accessToken);

const bareInsert = (codes) =>
  pool.query(
    `with made as (
       insert into passkey (event_id, code, use_limit, created_at, updated_at) select 1, code, 2, now(), now() from unnest($1::text[]) code
       returning id)
     insert into passkey_item (event_id, passkey_id, item_id) select 1, made.id, item from made cross join unnest($2::bigint[]) item`,
    [codes, itemIds],
  );

const ways = { 'POST /event/{eventId}/passkeys': throughHttp, 'bare insert': bareInsert };
const seconds = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
for (let round = 0; round <= rounds; round++) {
  for (const [name, way] of Object.entries(ways)) {
    const codes = randomCodes(codesInBatch);
    const taken = await secondsOf(() => way(codes));
    // The first round warms up.
    if (round > 0) seconds[name].push(taken);
  }
}

const [service, control] = Object.values(seconds).map(median);
for (const [name, taken] of Object.entries(seconds)) {
  console.log(`${name.padEnd(32)} ${median(taken).toFixed(2)} s   (${taken.map((each) => each.toFixed(2)).join(', ')})`);
}
const ratio = control / service;
console.log(`${codesInBatch} codes on ${itemsOfEach} items: ${ratio.toFixed(2)} of the bare insert, at least ${least}`);

await app.close();
await close();
await server.stop();
rmSync(dataDir, { recursive: true, force: true });
process.exit(ratio >= least ? 0 : 1);
