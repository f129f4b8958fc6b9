import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { postgresPrograms } from './binaries.ts';
import { checkMajorVersion, cleanEnvironment, initialise, placeCluster } from './cluster.ts';
import { refuseIfOwned, stopOrphanedServer, takeCluster, takeOwnership, tryConnect } from './orphaned-server.ts';
import { releaseCluster } from './owner-file.ts';
import { keepServerLogSmall, openServerLog } from './server-log.ts';

const startLimitMs = 60_000;
const stopLimitMs = 20_000;

export interface EmbeddedOptions {
  dataDir: string;
  /** False only for tests and benchmarks: data does not survive a power cut. */
  durable: boolean;
  log: (line: string) => void;
  /** Called when the server died and could not be restarted. */
  onLost: (error: unknown) => void;
}

export interface EmbeddedServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on the cluster in `dataDir`. Creates the cluster if there is none, cleans up after a killed process, and restarts the
 * server if it dies. Throws if another Tessera process owns the cluster.
 */
export async function startEmbedded({ dataDir, durable, log, onLost }: EmbeddedOptions): Promise<EmbeddedServer> {
  mkdirSync(dataDir, { recursive: true });
  const place = placeCluster(join(dataDir, 'postgres'));
  const programs = postgresPrograms(place.user);
  await takeCluster(place.cluster);
  try {
    if (!existsSync(join(place.cluster, 'PG_VERSION'))) await initialise(place, programs, durable);
    await checkMajorVersion(place.cluster, programs);
    await stopOrphanedServer(place.cluster, log);
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
  let owner = await acquireOwnership().catch((error: unknown) => abandon(error, child));
  const stopLogRotation = keepServerLogSmall(logFile, log);
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
          // The server runs in its own process group, so that Ctrl-C in a terminal reaches only this process, which then stops the server cleanly.
          detached: true,
          ...place.user,
        });
        if (await acceptsConnections(started, deadline)) return started;
        await endServer(started);
        if (performance.now() > deadline || stopping) throw new Error(`PostgreSQL did not start. See ${logFile}.`);
        refuseIfOwned(place.cluster);
        // The backends of a killed server need a moment to exit and release its shared memory.
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

  async function acceptsConnections(started: ChildProcess, deadline: number): Promise<boolean> {
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

  async function acquireOwnership(): Promise<pg.Client> {
    const client = await tryConnect(socketDir);
    if (client && (await takeOwnership(client))) {
      client.once('end', () => void reacquireOwnership());
      return client;
    }
    throw new Error(`Another process became the owner of ${place.cluster} while PostgreSQL started. Start again.`);
  }

  /**
   * Takes the owner lock again. When one session crashes, PostgreSQL keeps running but ends all sessions, including the session with the
   * owner lock.
   */
  async function reacquireOwnership(): Promise<void> {
    while (!stopping && !ended(child)) {
      try {
        owner = await acquireOwnership();
        return;
      } catch {
        await sleep(100);
      }
    }
  }

  function supervise(): void {
    child.once('exit', (code, signal) => {
      if (stopping) return;
      log(`PostgreSQL stopped unexpectedly (${signal ?? code}). Restarting it.`);
      restarting = restart().catch((error: unknown) => {
        if (!stopping) onLost(error);
      });
    });
  }

  async function restart(): Promise<void> {
    void owner.end().catch(() => undefined);
    child = await launch();
    owner = await acquireOwnership();
    supervise();
  }

  async function createDatabase(): Promise<void> {
    const known = await owner.query(`select 1 from pg_database where datname = 'tessera'`);
    if (known.rowCount === 0) await owner.query('create database tessera');
  }

  async function stop(): Promise<void> {
    stopping = true;
    // If the server is being restarted, the new process must be stopped.
    await restarting;
    // This is not awaited, because the connection may be broken. The connection ends with the server in any case.
    void owner.end().catch(() => undefined);
    await endServer(child);
    stopLogRotation();
    releaseCluster(place.cluster);
    removeSocketDir();
  }
}

/**
 * Keeps errors of our own sessions out of the server's log, because they may quote a parameter such as an e-mail address. The sessions
 * receive their errors themselves. Messages of the server's own processes are logged.
 */
const sessionOptions = '-c log_min_messages=log';

/** A connection URL for a Unix socket: libpq expects the folder of the socket in the parameter `host`. */
export const socketUrl = (socketDir: string): string =>
  `postgresql://postgres@localhost/tessera?host=${encodeURIComponent(socketDir)}&options=${encodeURIComponent(sessionOptions)}`;

function serverArguments(cluster: string, socketDir: string, durable: boolean): string[] {
  const settings = {
    // No TCP: only processes on this machine that can enter the folder of the socket can connect.
    listen_addresses: '',
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    max_connections: '120',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    // Do not log statements, parameters, or details that quote rows.
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
