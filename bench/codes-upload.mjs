// How fast a file of codes is imported over HTTP, against a raw COPY of the same rows into the same table, and how much memory the
// service takes for it. `node bench/codes-upload.mjs [rows] [rounds]`, after `npm run build`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, openAsBlob, readFileSync, rmSync, statSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { from } from 'pg-copy-streams';
import { demoPassword, people } from '../dist/demo/people.js';
import { seedDemo } from '../dist/demo/seed.js';
import { systemAct } from '../dist/kernel/act.js';
import { connect } from '../dist/postgres/database.js';
import { startEmbedded } from '../dist/postgres/embedded/server.js';
import { migrate } from '../dist/postgres/migrate.js';
import { inTransaction } from '../dist/postgres/transaction.js';
import { median } from './median.mjs';

const rows = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 3);
const launcher = fileURLToPath(new URL('../bin/tessera.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tessera-bench-'));
await chmod(folder, 0o755);

const kinds = {
  'code, item': { columns: 'code,item', holder: () => '' },
  'code, item, name, document': {
    columns: 'code,item,name,document',
    holder: (n) => `,${names[n % 8]} ${names[(n >> 3) % 8]} ${n % 5000},${100_000_000 + n}`,
  },
};
const names = ['Ana', 'João', 'Maria', 'Souza', 'Silva', 'Conceição', 'Pedro', 'Oliveira'];
/** All different and in no order, as codes are. */
const codeOf = (n) => `PX-${((n * 2_654_435_761) % 4_294_967_296).toString(36).toUpperCase().padStart(7, '0')}`;

const seconds = async (work) => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};
const residentMiB = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

async function writeCsv(path, header, line) {
  function* lines() {
    yield `${header}\n`;
    for (let n = 0; n < rows; n += 1000) {
      let part = '';
      for (let i = n; i < Math.min(rows, n + 1000); i++) part += `${line(i)}\n`;
      yield part;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(path));
}

async function startService(url) {
  const child = spawn(process.execPath, [launcher, 'serve'], {
    env: { ...process.env, DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'error', RATE_LIMIT: 'off', LOAD_SHEDDING: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const base = await new Promise((resolve, reject) => {
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      const found = /API\s+(\S+)/.exec(printed)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', () => reject(new Error(`The service did not start: ${printed}`)));
  });
  return { child, base };
}

async function call(base, token, method, path, body) {
  const answer = await fetch(base + path, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && !(body instanceof FormData) && { 'content-type': 'application/json' }),
    },
    ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(json));
  return json;
}

async function uploadFile(base, token, eventId, path) {
  const form = new FormData();
  form.append('file', await openAsBlob(path), 'codes.csv');
  return call(base, token, 'POST', `/events/${eventId}/codes`, form);
}

/** The most that the service grows while `work` runs. */
async function growthMiB(pid, work) {
  const idle = residentMiB(pid);
  let most = idle;
  const watch = setInterval(() => {
    most = Math.max(most, residentMiB(pid));
  }, 20);
  await work();
  clearInterval(watch);
  return most - idle;
}

async function measure({ pool }, { base, child }, token, item, [kind, { columns, holder }]) {
  const file = join(folder, 'codes.csv');
  const control = join(folder, 'control.csv');
  await writeCsv(file, columns, (n) => `${codeOf(n)},${item.name}${holder(n)}`);
  const fixed = `${item.eventId},${item.id},2026-01-01T00:00:00Z`;
  const target = kind.includes('name')
    ? 'event_id,item_id,created_at,code,holder_name,holder_document'
    : 'event_id,item_id,created_at,code';
  await writeCsv(control, target, (n) => `${fixed},${codeOf(n)}${holder(n)}`);
  const empty = () => pool.query('truncate external_code; checkpoint');
  const copy = async () => {
    const client = await pool.connect();
    await client.query('set statement_timeout = 0');
    await pipeline(createReadStream(control), client.query(from(`copy external_code (${target}) from stdin (format csv, header)`)));
    client.release(true);
  };
  const uploads = [];
  const copies = [];
  const growths = [];
  for (let round = 0; round < rounds; round++) {
    await empty();
    copies.push(await seconds(copy));
    await empty();
    growths.push(await growthMiB(child.pid, async () => uploads.push(await seconds(() => uploadFile(base, token, item.eventId, file)))));
  }
  return {
    columns: kind,
    MB: Math.round(statSync(file).size / 1e5) / 10,
    'upload s': median(uploads).toFixed(2),
    'raw COPY s': median(copies).toFixed(2),
    ratio: (median(copies) / median(uploads)).toFixed(2),
    'growth MiB': Math.round(Math.max(...growths)),
  };
}

const database = await startEmbedded({ dataDir: folder, durable: true, log: () => undefined, onLost: (error) => console.error(error) });
const connections = connect({ url: database.url, onError: (error) => console.error(error.message) });
let service;
try {
  await migrate(connections.pool);
  await inTransaction(connections.db, {}, (tx) => seedDemo(tx, systemAct('demo', new Date())));
  service = await startService(database.url);
  const { accessToken } = await call(service.base, null, 'POST', '/auth/login', { email: people.producer.email, password: demoPassword });
  const { data } = await call(service.base, accessToken, 'GET', '/items?pageSize=1');
  const item = await call(service.base, accessToken, 'POST', '/items', { eventId: data[0].eventId, name: 'Partner', type: 'external' });
  const results = [];
  for (const kind of Object.entries(kinds)) results.push(await measure(connections, service, accessToken, item, kind));
  console.table(results);
} finally {
  service?.child.kill('SIGTERM');
  if (service) await once(service.child, 'exit');
  await connections.close();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}
