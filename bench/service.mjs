import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const root = fileURLToPath(new URL('..', import.meta.url));
/** `npm start`, without npm in between: node, its options, the launcher. */
const [, ...start] = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts.start.split(' ');
const patienceMs = 60_000;

let databases = 0;

/** On the server that DATABASE_URL names, if it names one: a database of its own, which is dropped in the end. */
async function createDatabase(url) {
  const name = `tessera_bench_${process.pid}_${++databases}`;
  const run = async (statement) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { url: own.href, drop: () => run(`drop database ${name} with (force)`) };
}

/** The service as anyone starts it, with demo data in a place of its own that is removed in the end. */
export async function startService(environment = {}, nodeOptions = [], { pollMs = 25 } = {}) {
  const base = mkdtempSync(join(tmpdir(), 'tsr-bench-'));
  chmodSync(base, 0o755);
  const given = process.env.DATABASE_URL ? await createDatabase(process.env.DATABASE_URL) : null;
  const env = {
    ...process.env,
    TMPDIR: base,
    DATA_DIR: join(base, 'data'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    DEMO: 'on',
    PAYMENTS: 'sandbox,cash',
    ...(given && { SECRET_KEY: 'the secret key of measurements, never of a shop' }),
    ...(given && { DATABASE_URL: given.url }),
    ...environment,
  };
  // Only the embedded database migrates and fills itself.
  if (given)
    for (const command of ['migrate', 'demo']) execFileSync(process.execPath, [...start.slice(0, -1), command], { cwd: root, env });
  const child = spawn(process.execPath, [...nodeOptions, ...start], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      printed = (printed + text).slice(-20_000);
    });
  }
  const running = () => child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    const cut = setTimeout(() => child.kill('SIGKILL'), 30_000);
    if (running()) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    clearTimeout(cut);
    await given?.drop();
    rmSync(base, { recursive: true, force: true });
  };
  const deadline = Date.now() + patienceMs;
  const address = () => /^ {2}API +(\S+)$/m.exec(printed)?.[1];
  const ready = async () => address() && (await fetch(`${address()}/event/1`)).status === 200;
  while (!(await ready())) {
    if (!running() || Date.now() > deadline) {
      await stop();
      throw new Error(`The service did not start: ${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  const api = address();
  return {
    api,
    port: Number(new URL(api).port),
    pid: child.pid,
    printed: () => printed,
    databaseUrl: given?.url ?? `socket:${embeddedIn(base).host}?db=tessera&user=postgres`,
    /** A connection to the database that the service works on. */
    async connect() {
      const client = given ? new pg.Client({ connectionString: given.url }) : new pg.Client(embeddedIn(base));
      await client.connect();
      return client;
    },
    stop,
  };
}

function embeddedIn(base) {
  const host = readFileSync(join(base, 'data/postgres/postmaster.pid'), 'utf8').split('\n')[4];
  return { host, user: 'postgres', database: 'tessera' };
}
