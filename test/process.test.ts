import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { demoPassword, people, printedPeople } from '../src/demo/people.ts';
import { startEmbedded } from '../src/postgres/embedded/server.ts';
import { eventually } from './eventually.ts';
import { type DataFolder, emailsIn, leftoversIn, noLeftovers, type Service, waitUntilPrinted, waitUntilReady } from './process.ts';
import { sendSignal } from './process-table.ts';
import { useDataFolders, useProcesses } from './use-processes.ts';

/** The number of kills per test. For a longer manual run, set KILL_ROUNDS=20. It takes some minutes. */
const rounds = Number(process.env.KILL_ROUNDS ?? 1);
const killTimeout = rounds * 60_000;

const addresses = ['/healthz', '/readyz', '/metrics', '/docs', '/v1/openapi.json', '/.well-known/jwks.json'];

const { newDataFolder, demoDataFolder } = useProcesses();

const waitUntilNoDatabase = (folder: DataFolder) => eventually('PostgreSQL has ended', () => folder.databaseProcesses().length === 0);

interface Running {
  folder: DataFolder;
  service: Service;
}

/** Starts one service for all tests of a block, because a start is slow. A test that ends the service starts it again. */
function useService(): Running {
  const running = {} as Running;
  const newFolder = useDataFolders(afterAll);
  beforeAll(async () => {
    running.folder = newFolder({ copyOf: inject('demoFolder') });
    running.service = await running.folder.serve();
  });
  return running;
}

async function killBoth({ folder, service }: Running): Promise<void> {
  const { pid } = folder.database();
  service.kill('SIGKILL');
  sendSignal(pid, 'SIGKILL');
  await service.ended;
}

/** Returns the pids of the PostgreSQL processes that serve the connections of the service. */
async function sessionsIn(folder: DataFolder): Promise<number[]> {
  const sessions = await folder.query<{ pid: number }>(`select pid from pg_stat_activity where application_name = 'tessera'`);
  if (sessions.length === 0) throw new Error('The service has no session');
  return sessions.map(({ pid }) => pid);
}

const frozen = new Set<number>();
afterEach(() => {
  for (const pid of frozen) sendSignal(pid, 'SIGKILL');
  frozen.clear();
});

/** Pauses a PostgreSQL session, so that it does not notice the end of its server. Returns a function that resumes it. */
async function freezeSession(folder: DataFolder): Promise<() => void> {
  const [pid = Number.NaN] = await sessionsIn(folder);
  frozen.add(pid);
  sendSignal(pid, 'SIGSTOP');
  return () => {
    frozen.delete(pid);
    sendSignal(pid, 'SIGCONT');
  };
}

/** Writes the pid of another process into the lock file of a killed database. This happens when the system reuses process ids. */
function writeIntoLockFile(folder: DataFolder, pid: number): void {
  const [, ...rest] = readFileSync(folder.lockFile(), 'utf8').split('\n');
  writeFileSync(folder.lockFile(), [pid, ...rest].join('\n'));
}

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));

describe('the service', () => {
  it('starts on an empty data folder, prints its URLs and responds at each of them', async () => {
    const folder = newDataFolder();
    const service = await folder.serve();
    const banner = service.stdout();
    expect(banner).toContain(`  API        ${service.origin}/v1\n`);
    expect(banner).toContain(`  Reference  ${service.origin}/docs\n`);
    expect(banner).toContain(`  Health     ${service.origin}/readyz\n`);
    expect(banner).toMatch(new RegExp(`^ {2}Data {7}${folder.dataDir} \\(embedded PostgreSQL \\d+\\)$`, 'm'));
    expect(banner).toContain(demoPassword);
    for (const { email } of printedPeople) {
      expect(banner).toContain(email);
      const { status, token } = await service.logIn(email);
      expect(status).toBe(200);
      expect(await service.status('/v1/auth/me', token)).toBe(200);
    }
    for (const path of addresses) expect([path, await service.status(path)]).toEqual([path, 200]);
  });

  it('loads nothing with DEMO=off, and stops its database on SIGTERM even if the cluster is outside the data folder', async () => {
    // PostgreSQL does not run as root. If only root can read the data folder, the cluster is in another folder. Its server must be stopped
    // too.
    const folder = newDataFolder({ mode: 0o700 });
    const service = await folder.serve({ DEMO: 'off' });
    expect(service.stdout()).not.toContain(demoPassword);
    expect((await service.logIn(people.admin.email)).status).toBe(401);
    for (const table of ['app_user', 'producer', 'event', 'item']) expect(await folder.query(`select from ${table}`)).toEqual([]);
    expect(folder.databaseProcesses()).toEqual([folder.database().pid]);
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('ends on SIGINT with exit code 0 although a client keeps an idle connection open, and leaves no database process behind', async () => {
    const folder = demoDataFolder();
    const service = await folder.serve();
    expect(folder.databaseProcesses()).toEqual([folder.database().pid]);
    // Browsers open such connections in advance.
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    // A response on a later connection shows that the service has accepted the idle one.
    expect(await waitUntilReady(service)).toBe(true);
    const ended = await service.end('SIGINT');
    socket.destroy();
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('leaves no database process behind when it gets SIGTERM during its start', async () => {
    const folder = demoDataFolder();
    const run = folder.start(['serve']);
    await eventually('PostgreSQL is being started', () => folder.databaseProcesses()[0]);
    run.kill('SIGTERM');
    await run.ended;
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('leaves no database process behind when it gets SIGTERM while it restarts the database', async () => {
    const folder = demoDataFolder();
    const service = await folder.serve();
    const { pid } = folder.database();
    sendSignal(pid, 'SIGKILL');
    await eventually('PostgreSQL is being restarted', () => folder.database().pid !== pid);
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('refuses to load demo data on a public address; DEMO=public loads it with random passwords and prints them once', async () => {
    const folder = newDataFolder();
    const environment = { PUBLIC_URL: 'http://tickets.example' };
    const { code, stderr } = await folder.run(['serve'], { environment });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^DEMO=on .* PUBLIC_URL=http:\/\/tickets\.example is public\. Set DEMO=off .* DEMO=public .*\n$/);

    const service = await folder.serve({ ...environment, DEMO: 'public' });
    const printed = new Map(
      [...service.stdout().matchAll(/^ {4}(\S+@demo\.test) +(\S{20})  /gm)].map(([, email = '', word = '']) => [email, word]),
    );
    expect([...printed.keys()]).toEqual(Object.values(people).map(({ email }) => email));
    expect(new Set(printed.values()).size).toBe(printed.size);
    expect((await service.logIn(people.admin.email, printed.get(people.admin.email))).status).toBe(200);
    expect((await service.logIn(people.admin.email, demoPassword)).status).toBe(401);
    await service.end('SIGTERM');

    const again = await folder.serve({ ...environment, DEMO: 'public' });
    for (const word of printed.values()) expect(again.stdout()).not.toContain(word);
    expect(again.stdout()).not.toContain(demoPassword);
  });

  it('refuses a public address while demo accounts have the published password', async () => {
    const folder = demoDataFolder();
    const { code, stderr } = await folder.run(['serve'], { environment: { HOST: '0.0.0.0', PAYMENTS: 'cash' } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The demo accounts .*admin@demo\.test.* HOST=0\.0\.0\.0 is public\..* tessera user password EMAIL/);
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('reports that PORT is in use, and stops the database', async () => {
    const folder = demoDataFolder();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await folder.run(['serve'], { environment: { PORT: String(port) } });
    other.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^PORT=${port} is in use`));
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it.skipIf(!hasIpv6)('prints an IPv6 address in brackets, as browsers need it', async () => {
    const service = await demoDataFolder().serve({ HOST: '::1' });
    expect(service.origin).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect(await waitUntilReady(service)).toBe(true);
  });
});

describe('a second start', () => {
  const running = useService();

  async function startAgain({ folder, service: first }: Running) {
    const before = lockOf(folder);
    const second = folder.start(['serve']);
    await eventually('the second start is ready or has ended', () => !second.running() || second.stdout().includes('ready'));
    if (second.running()) second.kill('SIGKILL');
    const { code, stderr } = await second.ended;
    const sameDatabase = lockOf(folder) === before && !first.stdout().includes('Restarting it');
    return { code, sameDatabase, message: /already running/.exec(stderr)?.[0] ?? stderr };
  }
  const lockOf = (folder: DataFolder) => (existsSync(folder.lockFile()) ? folder.database().pid : null);
  const refused = { code: 1, sameDatabase: true, message: 'already running' };

  it('on the same data folder is refused, and the first service continues to respond', async () => {
    const { service: first } = running;
    const { token } = await first.logIn(people.admin.email);
    expect(await startAgain(running)).toEqual(refused);
    expect(await waitUntilReady(first)).toBe(true);
    expect(await first.status('/v1/users', token)).toBe(200);
  });

  it('is refused after PostgreSQL has reset all sessions because one crashed', async () => {
    // When one session is killed, PostgreSQL ends all sessions and continues in the same process.
    const old = await sessionsIn(running.folder);
    sendSignal(old[0] ?? Number.NaN, 'SIGKILL');
    await eventually('the service has new sessions', async () => (await sessionsIn(running.folder)).every((pid) => !old.includes(pid)));
    await waitUntilReady(running.service);
    expect(await startAgain(running)).toEqual(refused);
  });

  it('is refused while the database has no free connections', async () => {
    const release = await takeAllSessions(running.folder);
    expect(await startAgain(running)).toEqual(refused);
    await release();
    expect(await waitUntilReady(running.service)).toBe(true);
  });

  it('is refused while the first service restarts its database', async () => {
    const { folder, service: first } = running;
    const { pid } = folder.database();
    // PostgreSQL does not start while a session of the old server is running.
    const thaw = await freezeSession(folder);
    sendSignal(pid, 'SIGKILL');
    await waitUntilPrinted(first, 'Restarting it');
    const { code, message } = await startAgain(running);
    thaw();
    expect({ code, message }).toEqual({ code: 1, message: 'already running' });
    expect(await waitUntilReady(first)).toBe(true);
  });

  it('at the same time on the same empty folder: one service starts, the other is refused', async () => {
    const folder = newDataFolder();
    const runs = [folder.start(['serve'], { DEMO: 'off' }), folder.start(['serve'], { DEMO: 'off' })];
    const loser = await eventually('one of them has ended', () => runs.find((run) => !run.running()));
    expect(await loser.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('already running') as string });
    const winner = runs.find((run) => run !== loser) ?? loser;
    await waitUntilPrinted(winner, 'Tessera is ready.');
    expect(winner.running()).toBe(true);
  });

  /** Opens connections until the database refuses more. Returns a function that closes them. */
  async function takeAllSessions(folder: DataFolder): Promise<() => Promise<void>> {
    const clients: pg.Client[] = [];
    try {
      for (;;) clients.push(await folder.connect());
    } catch (error) {
      if (!/too many clients/.test(String(error))) throw error;
    }
    return async () => {
      await Promise.all(clients.map((client) => client.end()));
    };
  }
});

describe('after kill -9', () => {
  const running = useService();
  const written: string[] = [];
  let token = '';
  beforeAll(async () => {
    ({ token } = await running.service.logIn(people.admin.email));
  });

  /** Sends writes from several clients and calls `kill` during the writes. Remembers the acknowledged writes, which must not be lost. */
  async function killWhileWriting(prefix: string, kill: () => void): Promise<void> {
    const { service } = running;
    const acknowledged: string[] = [];
    const killed = new AbortController();
    const write = async (client: number) => {
      for (let i = 0; !killed.signal.aborted; i++) {
        const email = `${prefix}-${client}-${i}@test.test`;
        const { status } = await service.call('POST', '/v1/users', { token, body: { email, name: 'Written' } });
        if (status === 201) acknowledged.push(email);
      }
    };
    const clients = [0, 1, 2, 3].map((client) => write(client).catch(() => undefined));
    await eventually('something is written', () => acknowledged[9]);
    kill();
    killed.abort();
    await Promise.all(clients);
    written.push(...acknowledged);
  }

  async function expectKept(): Promise<void> {
    const kept = new Set(await emailsIn(running.folder));
    expect(written.filter((email) => !kept.has(email))).toEqual([]);
  }

  it(
    'of the service, the next start stops the orphaned database and has all acknowledged writes',
    async () => {
      const { folder } = running;
      for (let round = 0; round < rounds; round++) {
        const { pid } = folder.database();
        await killWhileWriting(`service${round}`, () => running.service.kill('SIGKILL'));
        await running.service.ended;
        expect(folder.databaseProcesses()).toEqual([pid]);
        running.service = await folder.serve();
        expect(folder.databaseProcesses()).toEqual([folder.database().pid]);
        expect(folder.database().pid).not.toBe(pid);
        await expectKept();
        // The token was issued before the kills. It is still valid, because keys and sessions are stored in the database.
        expect(await running.service.status('/v1/auth/me', token)).toBe(200);
      }
      expect(folder.socketDirs()).toHaveLength(1);
    },
    killTimeout,
  );

  it(
    'of PostgreSQL, the service restarts it, and no acknowledged write is lost',
    async () => {
      const { folder, service } = running;
      for (let round = 0; round < rounds; round++) {
        const { pid } = folder.database();
        await killWhileWriting(`database${round}`, () => sendSignal(pid, 'SIGKILL'));
        await eventually('PostgreSQL is another process', () => folder.database().pid !== pid);
        await waitUntilReady(service);
        await expectKept();
        expect(await service.status('/v1/auth/me', token)).toBe(200);
        expect(service.running()).toBe(true);
      }
      expect((await service.end('SIGTERM')).code).toBe(0);
      running.service = await folder.serve();
      await expectKept();
    },
    killTimeout,
  );

  it(
    'of both, the next start succeeds without manual steps and has all acknowledged writes',
    async () => {
      const { folder } = running;
      for (let round = 0; round < rounds; round++) {
        const { pid } = folder.database();
        await killWhileWriting(`both${round}`, () => {
          running.service.kill('SIGKILL');
          sendSignal(pid, 'SIGKILL');
        });
        await running.service.ended;
        running.service = await folder.serve();
        await expectKept();
        expect(await running.service.status('/v1/auth/me', token)).toBe(200);
      }
      expect((await folder.run(['audit'])).code).toBe(0);
      expect(folder.socketDirs()).toHaveLength(1);
    },
    killTimeout,
  );

  it('of the service while it creates its database, the next start creates the database from the beginning', async () => {
    const folder = newDataFolder();
    const run = folder.start(['serve'], { DEMO: 'off' });
    await eventually('initdb is running', () => folder.databaseProcesses()[0]);
    run.kill('SIGKILL');
    await run.ended;
    expect(await waitUntilReady(await folder.serve({ DEMO: 'off' }))).toBe(true);
  });

  it('the next start waits for a session of the old server that is still alive', async () => {
    const { folder } = running;
    const refusals = () => readFileSync(`${folder.dataDir}/postgres.log`, 'utf8').split('still in use').length;
    const before = refusals();
    const thaw = await freezeSession(folder);
    await killBoth(running);
    let isReady = false;
    const next = folder.serve().finally(() => {
      isReady = true;
    });
    // Two servers on the same files would corrupt them.
    await eventually('PostgreSQL has refused', () => refusals() > before);
    expect(isReady).toBe(false);
    thaw();
    running.service = await next;
    expect(await waitUntilReady(running.service)).toBe(true);
  });

  it('a lock file with the pid of another program neither prevents the start nor harms that program', async () => {
    await killBoth(running);
    await waitUntilNoDatabase(running.folder);
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
    try {
      await once(bystander, 'spawn');
      writeIntoLockFile(running.folder, bystander.pid ?? Number.NaN);
      running.service = await running.folder.serve();
      expect(await waitUntilReady(running.service)).toBe(true);
      expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null]);
    } finally {
      bystander.kill('SIGKILL');
    }
  });

  it('a lock file with the pid of another PostgreSQL server neither prevents the start nor harms that server', async () => {
    await killBoth(running);
    await waitUntilNoDatabase(running.folder);
    const neighbour = demoDataFolder();
    const log: string[] = [];
    const other = await startEmbedded({
      dataDir: neighbour.dataDir,
      durable: false,
      log: (line) => log.push(line),
      onLost: (error) => log.push(String(error)),
    });
    try {
      const { pid } = neighbour.database();
      writeIntoLockFile(running.folder, pid);
      running.service = await running.folder.serve();
      expect(await waitUntilReady(running.service)).toBe(true);
      expect(neighbour.databaseProcesses()).toEqual([pid]);
      expect(await emailsIn(neighbour)).toContain(people.admin.email);
      expect(log).toEqual([]);
    } finally {
      await other.stop();
    }
  });
});
