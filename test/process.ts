import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { demoPassword } from '../src/demo/people.ts';
import { socketUrl } from '../src/postgres/embedded/server.ts';
import { eventually } from './eventually.ts';
import { endAll, processesNaming } from './process-table.ts';

/** The built service. `bin/tessera.js` would first look for changes of the sources, at each of the many starts. */
const program = fileURLToPath(new URL('../dist/service/main.js', import.meta.url));

type Environment = Record<string, string>;

export interface ExitResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** One run of `tessera`. */
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
  /** Sends a GET request and returns the status of the response. */
  status(path: string, token?: string): Promise<number>;
  /** Sends the signal and waits until the process has ended. */
  end(signal: NodeJS.Signals): Promise<ExitResult>;
}

/** A data folder of one test, with all processes that the test has started on it. */
export interface DataFolder {
  dataDir: string;
  start(args: string[], environment?: Environment): Run;
  run(args: string[], options?: { input?: string; environment?: Environment }): Promise<ExitResult>;
  /** Resolves when the service has printed its address. */
  serve(environment?: Environment): Promise<Service>;
  lockFile(): string;
  database(): Database;
  databaseUrl(): string;
  connect(): Promise<pg.Client>;
  query<Row extends pg.QueryResultRow>(statement: string, values?: unknown[]): Promise<Row[]>;
  /** Returns the PostgreSQL processes that use this folder. */
  databaseProcesses(): number[];
  /** Returns the folders next to the data folder that contain the socket of a running PostgreSQL. */
  socketDirs(): string[];
}

interface Database {
  pid: number;
  socketDir: string;
}

export interface DataFolderOptions {
  /** Creates the data folder with these permissions. By default the first start creates it. */
  mode?: number;
  /** Start with a copy of this data folder. No process may be running on it. */
  copyOf?: { dataDir: string };
  /** Use this database instead of an embedded one. */
  databaseUrl?: string;
  /** Environment variables of every process. */
  environment?: Environment;
  /** Command-line options of Node for every process. */
  nodeOptions?: readonly string[];
}

/** Creates a data folder. `remove` kills its processes and deletes its files. Tests use `use-processes.ts`, which calls `remove`. */
export function createDataFolder({ mode, copyOf, databaseUrl, environment: shared = {}, nodeOptions = [] }: DataFolderOptions): {
  folder: DataFolder;
  remove: () => Promise<void>;
} {
  const base = mkdtempSync(join(tmpdir(), 'tsr-'));
  // When root runs the tests, PostgreSQL runs as another user, who needs access to this folder.
  chmodSync(base, 0o755);
  const dataDir = join(base, 'data');
  if (mode !== undefined) mkdirSync(dataDir, { mode });
  // `cp -a` keeps the owner. PostgreSQL refuses files that it does not own.
  if (copyOf) execFileSync('cp', ['-a', copyOf.dataDir, dataDir]);
  const runs: Run[] = [];
  const cluster = join(dataDir, 'postgres');
  const lockFile = () => join(cluster, 'postmaster.pid');

  const start = (args: string[], environment: Environment = {}, input = ''): Run => {
    const { PATH = '', HOME = '' } = process.env;
    const own = {
      PATH,
      HOME,
      TMPDIR: base,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'warn',
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    };
    const run = launch([...nodeOptions, program, ...args], { ...own, ...shared, ...environment }, base, input);
    runs.push(run);
    return run;
  };
  const database = (): Database => {
    const lines = readFileSync(lockFile(), 'utf8').split('\n');
    return { pid: Number(lines[0]), socketDir: lines[4] ?? '' };
  };
  const url = () => databaseUrl ?? socketUrl(database().socketDir);
  const realCluster = () => (existsSync(cluster) ? realpathSync(cluster) : cluster);
  const databaseProcesses = () => processesNaming([base, realCluster()]);

  const folder: DataFolder = {
    dataDir,
    start,
    run: (args, { input, environment } = {}) => start(args, environment, input).ended,
    // Load shedding is off, because the service would refuse requests while the machine is busy with other tests.
    serve: (environment) => ready(start(['serve'], { RATE_LIMIT: 'off', LOAD_SHEDDING: 'off', ...environment })),
    lockFile,
    database,
    databaseUrl: url,
    connect: () => connect(url()),
    query: (statement, values) => query(url(), statement, values),
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

function launch(args: readonly string[], env: Environment, cwd: string, input: string): Run {
  const child: ChildProcess = spawn(process.execPath, args, { cwd, env, stdio: 'pipe' });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} could not be started`);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  // Errors are ignored, because a command that reads no input may end before the input is written.
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
  const origin = await eventually('the service is ready', () => {
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

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // Errors are ignored here, because tests kill the server. The next query reports the error.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function query<Row extends pg.QueryResultRow>(url: string, statement: string, values?: unknown[]): Promise<Row[]> {
  const client = await connect(url);
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the processes and socket folders that are left in a data folder. After a clean shutdown there are none. */
export const leftoversIn = (folder: DataFolder) => ({
  processes: folder.databaseProcesses(),
  lockFile: existsSync(folder.lockFile()),
  socketDirs: folder.socketDirs(),
});
export const noLeftovers: ReturnType<typeof leftoversIn> = { processes: [], lockFile: false, socketDirs: [] };

export const waitUntilReady = (service: Service): Promise<true> =>
  eventually('the service is ready', async () => (await service.status('/readyz')) === 200);

export const waitUntilPrinted = (run: Run, text: string): Promise<true> =>
  eventually(`it prints ${text}`, () => run.stdout().includes(text));

export const emailsIn = async (folder: DataFolder): Promise<string[]> =>
  (await folder.query<{ email: string }>('select email from app_user order by id')).map(({ email }) => email);
