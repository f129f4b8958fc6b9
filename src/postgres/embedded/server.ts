import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { postgresPrograms } from './binaries.ts';
import { checkMajorVersion, cleanEnvironment, initialise, placeCluster } from './cluster.ts';
import { refuseIfOwned, retireLeftover, takeCluster, takeOwnership, tryConnect } from './leftover.ts';
import { releaseCluster } from './owner-file.ts';
import { keepServerLogSmall, openServerLog } from './server-log.ts';

const startLimitMs = 60_000;
const stopLimitMs = 20_000;

export interface EmbeddedOptions {
  dataDir: string;
  /** Off only for tests and measurements: data does not survive a power cut. */
  durable: boolean;
  log: (line: string) => void;
  /** The server died and could not be started again. */
  onLost: (error: unknown) => void;
}

export interface EmbeddedServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on a cluster in `dataDir`, makes the cluster first where there is none, and starts it again should it die.
 * Whatever an earlier process left behind is put in order; a cluster that another Tessera owns is left alone.
 */
export async function startEmbedded({ dataDir, durable, log, onLost }: EmbeddedOptions): Promise<EmbeddedServer> {
  mkdirSync(dataDir, { recursive: true });
  const place = placeCluster(join(dataDir, 'postgres'));
  const programs = postgresPrograms(place.user);
  await takeCluster(place.cluster);
  try {
    if (!existsSync(join(place.cluster, 'PG_VERSION'))) await initialise(place, programs, durable);
    await checkMajorVersion(place.cluster, programs);
    await retireLeftover(place.cluster, log);
  } catch (error) {
    releaseCluster(place.cluster);
    throw error;
  }

  const socketDir = mkdtempSync(join(tmpdir(), 'tessera-'));
  if (place.user) chownSync(socketDir, place.user.uid, place.user.gid);
  const url = socketUrl(socketDir);
  const logFile = join(dataDir, 'postgres.log');

  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();
  let child = await launch().catch((error: unknown) => abandon(error));
  let owner = await own().catch((error: unknown) => abandon(error, child));
  const leaveLog = keepServerLogSmall(logFile, log);
  supervise();
  await createDatabase();
  return { url, stop };

  async function launch(): Promise<ChildProcess> {
    const output = openServerLog(logFile);
    try {
      const deadline = performance.now() + startLimitMs;
      for (;;) {
        const started = spawn(join(programs, 'postgres'), serverArguments(place.cluster, socketDir, durable), {
          cwd: '/',
          stdio: ['ignore', output, output],
          env: cleanEnvironment,
          // Out of our process group: a Ctrl-C in the terminal is ours to turn into an orderly stop.
          detached: true,
          ...place.user,
        });
        if (await answers(started, deadline)) return started;
        await endServer(started);
        if (performance.now() > deadline || stopping) throw new Error(`PostgreSQL did not start; see ${logFile}`);
        refuseIfOwned(place.cluster);
        // Backends of a killed server need a moment to notice and let go of its memory.
        await sleep(200);
      }
    } finally {
      closeSync(output);
    }
  }

  async function abandon(error: unknown, started?: ChildProcess): Promise<never> {
    if (started) await endServer(started);
    releaseCluster(place.cluster);
    removeSocketDir();
    throw error;
  }

  function removeSocketDir(): void {
    rmSync(socketDir, { recursive: true, force: true });
  }

  async function answers(started: ChildProcess, deadline: number): Promise<boolean> {
    while (!ended(started) && performance.now() < deadline) {
      const client = await tryConnect(socketDir);
      if (client) {
        await client.end();
        return true;
      }
      await sleep(20);
    }
    return false;
  }

  async function own(): Promise<pg.Client> {
    const client = await tryConnect(socketDir);
    if (client && (await takeOwnership(client))) {
      client.once('end', () => void ownAgain());
      return client;
    }
    throw new Error(`PostgreSQL in ${place.cluster} was taken by another process while it started`);
  }

  /** A crash of one of its sessions makes PostgreSQL end them all, ours too, and go on. */
  async function ownAgain(): Promise<void> {
    while (!stopping && !ended(child)) {
      try {
        owner = await own();
        return;
      } catch {
        await sleep(100);
      }
    }
  }

  function supervise(): void {
    child.once('exit', (code, signal) => {
      if (stopping) return;
      log(`PostgreSQL ended by itself (${signal ?? code}); starting it again`);
      restarting = restart().catch((error: unknown) => {
        if (!stopping) onLost(error);
      });
    });
  }

  async function restart(): Promise<void> {
    void owner.end().catch(() => undefined);
    child = await launch();
    owner = await own();
    supervise();
  }

  async function createDatabase(): Promise<void> {
    const known = await owner.query(`select 1 from pg_database where datname = 'tessera'`);
    if (known.rowCount === 0) await owner.query('create database tessera');
  }

  async function stop(): Promise<void> {
    stopping = true;
    // A server that is just being started again is the one to end.
    await restarting;
    // Not awaited: the connection may be gone already, and the server's end ends it in any case.
    void owner.end().catch(() => undefined);
    await endServer(child);
    leaveLog();
    releaseCluster(place.cluster);
    removeSocketDir();
  }
}

/**
 * Our own sessions get their errors themselves, and the text of an error may quote a parameter, such as an e-mail address. So those
 * errors stay out of the server's log; what its own processes report is logged.
 */
const sessionOptions = '-c log_min_messages=log';

/** libpq's way to name a socket's folder. */
export const socketUrl = (socketDir: string): string =>
  `postgresql://postgres@localhost/tessera?host=${encodeURIComponent(socketDir)}&options=${encodeURIComponent(sessionOptions)}`;

function serverArguments(cluster: string, socketDir: string, durable: boolean): string[] {
  const settings = {
    // Only this machine's processes that may enter the socket's folder can connect.
    listen_addresses: '',
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    max_connections: '120',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    // Neither statements nor their parameters, and no details that quote rows.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    jit: 'off',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

const ended = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function endServer(child: ChildProcess): Promise<void> {
  if (ended(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  const late = setTimeout(() => child.kill('SIGQUIT'), stopLimitMs);
  await exited;
  clearTimeout(late);
}
