import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import type pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { demoPassword, people, printedPeople } from '../src/demo/people.ts';
import { eventually } from './eventually.ts';
import { type DataFolder, emailsIn, leftoversIn, noLeftovers, type Service, waitUntilPrinted, waitUntilReady } from './process.ts';
import { sendSignal } from './process-table.ts';
import { useProcesses } from './use-processes.ts';

/** The number of kills per test. For a longer manual run, set KILL_ROUNDS=20. It takes some minutes. */
const rounds = Number(process.env.KILL_ROUNDS ?? 1);
const killTimeout = rounds * 60_000;

const addresses = ['/healthz', '/readyz', '/metrics', '/docs', '/v1/openapi.json', '/.well-known/jwks.json'];

const { newDataFolder, demoDataFolder } = useProcesses();

const waitUntilNoDatabase = (folder: DataFolder) => eventually('PostgreSQL has ended', () => folder.databaseProcesses().length === 0);

/** Returns a data folder on which the service and its database were killed. */
async function killedDataFolder(): Promise<DataFolder> {
  const folder = demoDataFolder();
  const service = await folder.serve();
  const { pid } = folder.database();
  await service.end('SIGKILL');
  sendSignal(pid, 'SIGKILL');
  await waitUntilNoDatabase(folder);
  return folder;
}

/** Returns the pid of a PostgreSQL process that serves a connection of the service. */
async function sessionIn(folder: DataFolder): Promise<number> {
  const [session] = await folder.query<{ pid: number }>(`select pid from pg_stat_activity where application_name = 'tessera' limit 1`);
  if (!session) throw new Error('The service has no session');
  return session.pid;
}

const frozen = new Set<number>();
afterEach(() => {
  for (const pid of frozen) sendSignal(pid, 'SIGKILL');
  frozen.clear();
});

/** Pauses a PostgreSQL session, so that it does not notice the end of its server. Returns a function that resumes it. */
async function freezeSession(folder: DataFolder): Promise<() => void> {
  const pid = await sessionIn(folder);
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

  it('ends on SIGINT with exit code 0 and leaves no database process behind', async () => {
    const folder = demoDataFolder();
    const service = await folder.serve();
    expect(folder.databaseProcesses()).toEqual([folder.database().pid]);
    expect(await service.end('SIGINT')).toMatchObject({ code: 0, stderr: '' });
    expect(leftoversIn(folder)).toEqual(noLeftovers);
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

  it('ends with exit code 0 although a client keeps an idle connection open', async () => {
    const folder = demoDataFolder();
    const service = await folder.serve();
    // Browsers open such connections in advance.
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    // A response on a later connection shows that the service has accepted the idle one.
    expect(await waitUntilReady(service)).toBe(true);
    const ended = await service.end('SIGTERM');
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
  async function startAgain(folder: DataFolder, first: Service) {
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
    const folder = demoDataFolder();
    const first = await folder.serve();
    const { token } = await first.logIn(people.admin.email);
    expect(await startAgain(folder, first)).toEqual(refused);
    expect(await waitUntilReady(first)).toBe(true);
    expect(await first.status('/v1/users', token)).toBe(200);
  });

  it('is refused after PostgreSQL has reset all sessions because one crashed', async () => {
    const folder = demoDataFolder();
    const first = await folder.serve();
    // When one session is killed, PostgreSQL ends all sessions and continues in the same process.
    sendSignal(await sessionIn(folder), 'SIGKILL');
    await waitUntilReady(first);
    expect(await startAgain(folder, first)).toEqual(refused);
  });

  it('is refused while the database has no free connections', async () => {
    const folder = demoDataFolder();
    const first = await folder.serve();
    const release = await takeAllSessions(folder);
    expect(await startAgain(folder, first)).toEqual(refused);
    await release();
    expect(await waitUntilReady(first)).toBe(true);
  });

  it('is refused while the first service restarts its database', async () => {
    const folder = demoDataFolder();
    const first = await folder.serve();
    const { pid } = folder.database();
    // PostgreSQL does not start while a session of the old server is running.
    const thaw = await freezeSession(folder);
    sendSignal(pid, 'SIGKILL');
    await waitUntilPrinted(first, 'Restarting it');
    const { code, message } = await startAgain(folder, first);
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
  /** Sends writes from several clients and calls `kill` during the writes. Returns the acknowledged writes, which must not be lost. */
  async function killWhileWriting(service: Service, token: string, prefix: string, kill: () => void): Promise<string[]> {
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
    return acknowledged;
  }

  async function expectKept(folder: DataFolder, emails: string[]): Promise<void> {
    const kept = new Set(await emailsIn(folder));
    expect(emails.filter((email) => !kept.has(email))).toEqual([]);
  }

  it(
    'of the service, the next start stops the orphaned database and has all acknowledged writes',
    async () => {
      const folder = demoDataFolder();
      const written: string[] = [];
      let service = await folder.serve();
      const { token } = await service.logIn(people.admin.email);
      for (let round = 0; round < rounds; round++) {
        const { pid } = folder.database();
        written.push(...(await killWhileWriting(service, token, `service${round}`, () => service.kill('SIGKILL'))));
        await service.ended;
        expect(folder.databaseProcesses()).toEqual([pid]);
        service = await folder.serve();
        expect(folder.databaseProcesses()).toEqual([folder.database().pid]);
        expect(folder.database().pid).not.toBe(pid);
        await expectKept(folder, written);
        // The token was issued before the kills. It is still valid, because keys and sessions are stored in the database.
        expect(await service.status('/v1/auth/me', token)).toBe(200);
      }
      expect(folder.socketDirs()).toHaveLength(1);
    },
    killTimeout,
  );

  it(
    'of PostgreSQL, the service restarts it, and no acknowledged write is lost',
    async () => {
      const folder = demoDataFolder();
      const written: string[] = [];
      let service = await folder.serve();
      const { token } = await service.logIn(people.admin.email);
      for (let round = 0; round < rounds; round++) {
        const { pid } = folder.database();
        written.push(...(await killWhileWriting(service, token, `database${round}`, () => sendSignal(pid, 'SIGKILL'))));
        await eventually('PostgreSQL is another process', () => folder.database().pid !== pid);
        await waitUntilReady(service);
        await expectKept(folder, written);
        expect(await service.status('/v1/auth/me', token)).toBe(200);
        expect(service.running()).toBe(true);

        expect((await service.end('SIGTERM')).code).toBe(0);
        service = await folder.serve();
        await expectKept(folder, written);
      }
      expect((await folder.run(['audit'])).code).toBe(0);
    },
    killTimeout,
  );

  it(
    'of both, the next start succeeds without manual steps and has all acknowledged writes',
    async () => {
      const folder = demoDataFolder();
      const written: string[] = [];
      let service = await folder.serve();
      const { token } = await service.logIn(people.admin.email);
      for (let round = 0; round < rounds; round++) {
        const { pid } = folder.database();
        const kill = () => {
          service.kill('SIGKILL');
          sendSignal(pid, 'SIGKILL');
        };
        written.push(...(await killWhileWriting(service, token, `both${round}`, kill)));
        await service.ended;
        service = await folder.serve();
        await expectKept(folder, written);
        expect(await service.status('/v1/auth/me', token)).toBe(200);
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
    expect(await waitUntilReady(await folder.serve())).toBe(true);
  });

  it('the next start waits for a session of the old server that is still alive', async () => {
    const folder = demoDataFolder();
    const service = await folder.serve();
    const { pid } = folder.database();
    const thaw = await freezeSession(folder);
    service.kill('SIGKILL');
    sendSignal(pid, 'SIGKILL');
    await service.ended;
    const next = folder.start(['serve']);
    // Two servers on the same files would corrupt them.
    await eventually('PostgreSQL has refused', () => /still in use/.test(readFileSync(`${folder.dataDir}/postgres.log`, 'utf8')));
    expect(next.stdout()).not.toContain('ready');
    thaw();
    expect(await waitUntilPrinted(next, 'Tessera is ready.')).toBe(true);
  });

  it('a lock file with the pid of another program neither prevents the start nor harms that program', async () => {
    const folder = await killedDataFolder();
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
    try {
      await once(bystander, 'spawn');
      writeIntoLockFile(folder, bystander.pid ?? Number.NaN);
      expect(await waitUntilReady(await folder.serve())).toBe(true);
      expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null]);
    } finally {
      bystander.kill('SIGKILL');
    }
  });

  it('a lock file with the pid of another PostgreSQL server neither prevents the start nor harms that server', async () => {
    const folder = await killedDataFolder();
    const neighbour = demoDataFolder();
    const other = await neighbour.serve();
    const { pid } = neighbour.database();
    writeIntoLockFile(folder, pid);
    expect(await waitUntilReady(await folder.serve())).toBe(true);
    expect(await waitUntilReady(other)).toBe(true);
    expect(other.stdout()).not.toContain('stopped unexpectedly');
    expect(neighbour.databaseProcesses()).toEqual([pid]);
  });
});
