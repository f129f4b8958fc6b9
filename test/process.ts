import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { demoPassword } from '../src/demo/people.ts';

const launcher = fileURLToPath(new URL('../bin/tessera.js', import.meta.url));

/** Long enough for the slowest machine; nothing waits longer than it must. */
const patienceMs = 120_000;

type Environment = Record<string, string>;

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** One run of `bin/tessera.js`. */
export interface Run {
  pid: number;
  stdout(): string;
  running(): boolean;
  ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
}

interface Answer {
  status: number;
  body: unknown;
}

export interface Service extends Run {
  origin: string;
  call(method: 'GET' | 'POST', path: string, options?: { token?: string; body?: unknown }): Promise<Answer>;
  logIn(email: string, password?: string): Promise<{ status: number; token: string }>;
  /** The status that a GET is answered with. */
  status(path: string, token?: string): Promise<number>;
  /** Ends it and waits for that. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

/** A data folder of its own, with all processes that were started on it. */
export interface Place {
  dataDir: string;
  start(args: string[], environment?: Environment): Run;
  run(args: string[], options?: { input?: string; environment?: Environment }): Promise<Ended>;
  /** Answers when the service has printed where it listens. */
  serve(environment?: Environment): Promise<Service>;
  lockFile(): string;
  database(): Database;
  connect(): Promise<pg.Client>;
  query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]>;
  /** Processes of PostgreSQL's programs that work on this folder. */
  databaseProcesses(): number[];
  /** What a start leaves beside the data folder while it runs. */
  socketDirs(): string[];
}

interface Database {
  pid: number;
  socketDir: string;
}

interface PlaceOptions {
  /** The permissions of the data folder; it does not exist yet when they are left out. */
  mode?: number;
  /** Begin with a copy of the data of this place, on which nothing may run. */
  like?: Place;
}

type NewPlace = (options?: PlaceOptions) => Place;

/** Makes places; what ran in them is ended and what they hold is removed after each test, or after all, whatever became of the tests. */
export function usePlaces(after: (work: () => Promise<void>) => void): NewPlace {
  const removals: (() => Promise<void>)[] = [];
  after(async () => {
    for (const remove of removals.splice(0)) await remove();
  });
  return (options = {}) => {
    const { place, remove } = createPlace(options);
    removals.push(remove);
    return place;
  };
}

interface Places {
  newPlace: NewPlace;
  /** Has the demo data; nothing runs on it. */
  fixture: Place;
  /** A copy of the fixture. Most tests begin with one, as that takes less time than to begin with nothing. */
  filledPlace: () => Place;
  /** How the command that made the demo data ended. */
  loaded: () => Ended | undefined;
}

/** For the top of a test file. */
export function useProcesses(): Places {
  // Processes take their time on a busy machine.
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
  const newPlace = usePlaces(afterEach);
  const fixture = usePlaces(afterAll)();
  let loaded: Ended | undefined;
  beforeAll(async () => {
    loaded = await fixture.run(['demo']);
  });
  return { newPlace, fixture, filledPlace: () => newPlace({ like: fixture }), loaded: () => loaded };
}

function createPlace({ mode, like }: PlaceOptions): { place: Place; remove: () => Promise<void> } {
  const base = mkdtempSync(join(tmpdir(), 'tsr-'));
  // As root, PostgreSQL runs as another user, who has to find its socket here.
  chmodSync(base, 0o755);
  const dataDir = join(base, 'data');
  if (mode !== undefined) mkdirSync(dataDir, { mode });
  // Node's own copy would give the files to us, and PostgreSQL takes only its own.
  if (like) execFileSync('cp', ['-a', like.dataDir, dataDir]);
  const runs: Run[] = [];
  const cluster = join(dataDir, 'postgres');
  const lockFile = () => join(cluster, 'postmaster.pid');

  const start = (args: string[], environment: Environment = {}, input = ''): Run => {
    const { PATH = '', HOME = '' } = process.env;
    const run = launch(args, { PATH, HOME, TMPDIR: base, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', ...environment }, base, input);
    runs.push(run);
    return run;
  };
  const database = (): Database => {
    const lines = readFileSync(lockFile(), 'utf8').split('\n');
    return { pid: Number(lines[0]), socketDir: lines[4] ?? '' };
  };
  const realCluster = () => (existsSync(cluster) ? realpathSync(cluster) : cluster);
  const databaseProcesses = () => processesNaming([base, realCluster()]);

  const place: Place = {
    dataDir,
    start,
    run: (args, { input, environment } = {}) => start(args, environment, input).ended,
    // A machine that is busy with tests must not make the service turn requests away.
    serve: (environment) => ready(start(['serve'], { RATE_LIMIT: 'off', LOAD_SHEDDING: 'off', ...environment })),
    lockFile,
    database,
    connect: () => connect(database().socketDir),
    query: (statement) => query(database().socketDir, statement),
    databaseProcesses,
    socketDirs: () => readdirSync(base).filter((name) => name.startsWith('tessera-')),
  };
  const remove = async () => {
    for (const run of runs.filter((run) => run.running())) run.kill('SIGKILL');
    await Promise.all(runs.map(({ ended }) => ended));
    await endAll(databaseProcesses);
    for (const folder of [realCluster(), base]) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return { place, remove };
}

function launch(args: string[], env: Environment, cwd: string, input: string): Run {
  const child: ChildProcess = spawn(process.execPath, [launcher, ...args], { cwd, env, stdio: 'pipe' });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${launcher} could not be started`);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  // A command that reads nothing may be gone before the input is written.
  child.stdin?.on('error', () => undefined).end(input);
  return {
    pid,
    stdout: () => output.stdout,
    running: () => child.exitCode === null && child.signalCode === null,
    ended: once(child, 'close').then(() => ({ code: child.exitCode, ...output })),
    kill: (signal) => void child.kill(signal),
  };
}

async function ready(run: Run): Promise<Service> {
  const origin = await until('the service is ready', () => {
    if (!run.running()) return 'ended';
    return /^Tessera is ready\.$[^]*^ {2}API +(\S+)\/v1$/m.exec(run.stdout())?.[1];
  });
  if (origin === 'ended') throw new Error(`The service did not start: ${JSON.stringify(await run.ended)}`);
  return {
    ...run,
    origin,
    call: (method, path, { token, body } = {}) => call(`${origin}${path}`, method, token, body),
    logIn: async (email, password = demoPassword) => {
      const { status, body } = await call(`${origin}/v1/auth/login`, 'POST', undefined, { email, password });
      return { status, token: (body as { accessToken?: string }).accessToken ?? '' };
    },
    status: async (path, token) => (await call(`${origin}${path}`, 'GET', token, undefined)).status,
    end: (signal) => {
      run.kill(signal);
      return run.ended;
    },
  };
}

async function call(address: string, method: string, token: string | undefined, body: unknown): Promise<Answer> {
  const answer = await fetch(address, {
    method,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : text };
}

async function connect(socketDir: string): Promise<pg.Client> {
  const client = new pg.Client({ host: socketDir, user: 'postgres', database: 'tessera' });
  // Tests end servers under it; who uses it then gets the error anyway.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function query<Row extends pg.QueryResultRow>(socketDir: string, statement: string): Promise<Row[]> {
  const client = await connect(socketDir);
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** What an end in good order does not leave. */
export const leftovers = (place: Place) => ({
  processes: place.databaseProcesses(),
  lockFile: existsSync(place.lockFile()),
  socketDirs: place.socketDirs(),
});
export const nothing: ReturnType<typeof leftovers> = { processes: [], lockFile: false, socketDirs: [] };

export const untilReady = (service: Service): Promise<true> =>
  until('the service is ready', async () => (await service.status('/readyz')) === 200 || undefined);

export const untilPrinted = (run: Run, text: string): Promise<true> =>
  until(`it prints ${text}`, () => run.stdout().includes(text) || undefined);

export const emailsIn = async (place: Place): Promise<string[]> =>
  (await place.query<{ email: string }>('select email from app_user order by id')).map(({ email }) => email);

/** Asks again and again until there is an answer; an error counts as none. */
export async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  let reason: unknown;
  while (Date.now() < deadline) {
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      reason = error;
    }
    await sleep(25);
  }
  throw new Error(`Waited in vain: ${what}`, { cause: reason });
}

interface ProcessFacts {
  pid: number;
  parent: number;
  commandLine: string;
}

/**
 * A pid may be another program's by the time it is looked at; a command line that names our own folder is ours. What a server
 * forks has the server's command line for a moment and is not counted.
 */
function processesNaming(paths: string[]): number[] {
  const naming = allProcesses().filter(({ commandLine }) => paths.some((path) => commandLine.includes(path)));
  const pids = new Set(naming.map(({ pid }) => pid));
  return naming.filter(({ parent }) => !pids.has(parent)).map(({ pid }) => pid);
}

function allProcesses(): ProcessFacts[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), parent: parentOf(name), commandLine: readProcess(name, 'cmdline') }));
  }
  const list = execFileSync('ps', ['-axo', 'pid=,ppid=,command='], { encoding: 'utf8' }).trim().split('\n');
  return list.map((line) => {
    const [pid, parent, ...command] = line.trim().split(/ +/);
    return { pid: Number(pid), parent: Number(parent), commandLine: command.join(' ') };
  });
}

/** The second field after the program's name, which stands in brackets and may hold anything. */
const parentOf = (pid: string): number => Number(readProcess(pid, 'stat').replace(/^.*\)/s, '').trim().split(' ')[1]);

/** Nothing for a process that has just ended. */
function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** In PostgreSQL's own way first, which gives back its shared memory. */
async function endAll(find: () => number[]): Promise<void> {
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const pid of find()) send(pid, signal);
    for (let looks = 0; find().length > 0 && looks < 200; looks++) await sleep(50);
  }
}

export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
