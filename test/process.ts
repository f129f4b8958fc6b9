import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, inject, vi } from 'vitest';
import { demoPassword } from '../src/demo/people.ts';

const launcher = fileURLToPath(new URL('../bin/tessera.js', import.meta.url));

/** Long enough for a very slow machine. It only ends tests that hang. */
const patienceMs = 120_000;

type Environment = Record<string, string>;

export interface ExitResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** One run of `bin/tessera.js`. */
export interface Run {
  pid: number;
  stdout(): string;
  running(): boolean;
  ended: Promise<ExitResult>;
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
  /** Returns the status of a GET request. */
  status(path: string, token?: string): Promise<number>;
  /** Sends the signal and waits until the process has ended. */
  end(signal: NodeJS.Signals): Promise<ExitResult>;
}

/** A data folder for one test, and the processes that run on it. */
export interface DataFolder {
  dataDir: string;
  start(args: string[], environment?: Environment): Run;
  run(args: string[], options?: { input?: string; environment?: Environment }): Promise<ExitResult>;
  /** Starts the service. Resolves when it has printed its URL. */
  serve(environment?: Environment): Promise<Service>;
  lockFile(): string;
  database(): Database;
  connect(): Promise<pg.Client>;
  query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]>;
  /** The pids of PostgreSQL programs that run on this folder. */
  databaseProcesses(): number[];
  /** The folders of PostgreSQL sockets, which exist next to the data folder while a server runs. */
  socketDirs(): string[];
}

interface Database {
  pid: number;
  socketDir: string;
}

interface DataFolderOptions {
  /** Creates the data folder with these permissions. By default it does not exist yet. */
  mode?: number;
  /** Start with a copy of this data folder. No process may be running on it. */
  copyOf?: { dataDir: string };
}

type NewDataFolder = (options?: DataFolderOptions) => DataFolder;

/** Returns a function that makes data folders. `after` (afterEach or afterAll) ends the processes on them and removes them. */
export function useDataFolders(after: (work: () => Promise<void>) => void): NewDataFolder {
  const removals: (() => Promise<void>)[] = [];
  after(async () => {
    for (const remove of removals.splice(0)) await remove();
  });
  return (options = {}) => {
    const { folder, remove } = createDataFolder(options);
    removals.push(remove);
    return folder;
  };
}

interface DataFolders {
  newDataFolder: NewDataFolder;
  /** A folder with a copy of the demo data (see demo-folder.ts). Most tests start with one, because an empty folder takes longer. */
  demoDataFolder: () => DataFolder;
}

/** Makes the helpers of a test file that starts processes. Call it once at the top of the file. */
export function useProcesses(): DataFolders {
  // Starting a process can take long on a busy machine.
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
  const newDataFolder = useDataFolders(afterEach);
  return { newDataFolder, demoDataFolder: () => newDataFolder({ copyOf: inject('demoFolder') }) };
}

function createDataFolder({ mode, copyOf }: DataFolderOptions): { folder: DataFolder; remove: () => Promise<void> } {
  const base = mkdtempSync(join(tmpdir(), 'tsr-'));
  // When root runs the tests, PostgreSQL runs as another user, who creates its socket in this folder.
  chmodSync(base, 0o755);
  const dataDir = join(base, 'data');
  if (mode !== undefined) mkdirSync(dataDir, { mode });
  // `cp -a` keeps the owner of the files. PostgreSQL refuses files of another owner, and Node's copy functions would change it.
  if (copyOf) execFileSync('cp', ['-a', copyOf.dataDir, dataDir]);
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

  const folder: DataFolder = {
    dataDir,
    start,
    run: (args, { input, environment } = {}) => start(args, environment, input).ended,
    // The service must not refuse requests because the machine is busy with tests.
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
    for (const path of [realCluster(), base]) rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return { folder, remove };
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
  // A command that does not read its input may end before the input is written.
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
  const origin = await waitUntil('the service is ready', () => {
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
  // Tests stop servers while clients are connected. The next query of the client reports the error.
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

/** What is still there after a process has ended. A normal end leaves nothing. */
export const leftoversIn = (folder: DataFolder) => ({
  processes: folder.databaseProcesses(),
  lockFile: existsSync(folder.lockFile()),
  socketDirs: folder.socketDirs(),
});
export const noLeftovers: ReturnType<typeof leftoversIn> = { processes: [], lockFile: false, socketDirs: [] };

export const waitUntilReady = (service: Service): Promise<true> =>
  waitUntil('the service is ready', async () => (await service.status('/readyz')) === 200 || undefined);

export const waitUntilPrinted = (run: Run, text: string): Promise<true> =>
  waitUntil(`it prints ${text}`, () => run.stdout().includes(text) || undefined);

export const emailsIn = async (folder: DataFolder): Promise<string[]> =>
  (await folder.query<{ email: string }>('select email from app_user order by id')).map(({ email }) => email);

/** Polls until `look` returns a value other than undefined. Errors of `look` are ignored until the timeout. */
export async function waitUntil<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
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
  throw new Error(`Did not happen within ${patienceMs / 1000} s: ${what}`, { cause: reason });
}

interface ProcessFacts {
  pid: number;
  parent: number;
  commandLine: string;
}

/**
 * Finds processes by a path in their command line, because the system may reuse a pid. A process that a server has just forked still has
 * the command line of the server. Children of a found process are not counted.
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

/** The parent pid is the second field after the program name. The name is in brackets and may contain any character. */
const parentOf = (pid: string): number => Number(readProcess(pid, 'stat').replace(/^.*\)/s, '').trim().split(' ')[1]);

/** Returns an empty string for a process that has just ended. */
function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Tries SIGQUIT first, with which PostgreSQL frees its shared memory. */
async function endAll(find: () => number[]): Promise<void> {
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const pid of find()) sendSignal(pid, signal);
    for (let looks = 0; find().length > 0 && looks < 200; looks++) await sleep(50);
  }
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
