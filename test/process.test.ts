import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../src/config.ts';
import { demoPassword, people, printedPeople } from '../src/demo/people.ts';
import { createDatabase } from './harness.ts';
import { type Ended, type Place, type Run, type Service, send, until, usePlaces } from './process.ts';

/** How often everything is killed; 20 takes some minutes and is for a run by hand. */
const rounds = Number(process.env.KILL_ROUNDS ?? 2);
const killTimeout = rounds * 60_000;

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const commands = ['serve', 'worker', 'migrate', 'demo', 'user', 'keys', 'audit', 'openapi'];
const addresses = ['/healthz', '/readyz', '/metrics', '/docs', '/v1/openapi.json', '/.well-known/jwks.json'];
const password = 'a long enough password';

const newPlace = usePlaces(afterEach);
const newFixture = usePlaces(afterAll);

/** Has the demo data; most tests begin with a copy of it, as that takes less time than to begin with nothing. */
const fixture = newFixture();
let loaded: Ended;
beforeAll(async () => {
  loaded = await fixture.run(['demo']);
});
const filledPlace = (): Place => newPlace({ like: fixture });

interface LoggedIn {
  status: number;
  token: string;
}

async function login(service: Service, email: string, secret = demoPassword): Promise<LoggedIn> {
  const { status, body } = await service.call('POST', '/v1/auth/login', { body: { email, password: secret } });
  return { status, token: (body as { accessToken?: string }).accessToken ?? '' };
}

const statusOf = async (service: Service, path: string, token?: string): Promise<number> =>
  (await service.call('GET', path, token === undefined ? {} : { token })).status;

const isReady = async (service: Service): Promise<true | undefined> => (await statusOf(service, '/readyz')) === 200 || undefined;

/** An overloaded machine may turn a request away for a moment. */
const untilReady = (service: Service): Promise<true> => until('the service is ready', () => isReady(service));

const untilPrinted = (run: Run, text: string): Promise<true> => until(`it prints ${text}`, () => run.stdout().includes(text) || undefined);

/** What an end in good order does not leave. */
const leftovers = (place: Place) => ({
  processes: place.databaseProcesses(),
  lockFile: existsSync(place.lockFile()),
  socketDirs: place.socketDirs(),
});
const nothing: ReturnType<typeof leftovers> = { processes: [], lockFile: false, socketDirs: [] };

const untilNoDatabase = (place: Place) => until('PostgreSQL has ended', () => (place.databaseProcesses().length === 0 ? true : undefined));

const emailsIn = async (place: Place): Promise<string[]> =>
  (await place.query<{ email: string }>('select email from app_user order by id')).map(({ email }) => email);

/** A folder on which the service and its database were killed while they worked. */
async function killedPlace(): Promise<Place> {
  const place = filledPlace();
  const service = await place.serve();
  const { pid } = place.database();
  await service.end('SIGKILL');
  send(pid, 'SIGKILL');
  await untilNoDatabase(place);
  return place;
}

/** A process of PostgreSQL that works for the service. */
async function sessionIn(place: Place): Promise<number> {
  const [session] = await place.query<{ pid: number }>(`select pid from pg_stat_activity where application_name = 'tessera' limit 1`);
  if (!session) throw new Error('The service has no session');
  return session.pid;
}

/** Lets the lock file that a killed database left name another process, as happens when process ids come round again. */
function writeIntoLockFile(place: Place, pid: number): void {
  const [, ...rest] = readFileSync(place.lockFile(), 'utf8').split('\n');
  writeFileSync(place.lockFile(), [pid, ...rest].join('\n'));
}

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));

describe('the service', () => {
  it('starts on an empty data folder, says where everything is and answers there', async () => {
    const place = newPlace();
    const service = await place.serve();
    const banner = service.stdout();
    expect(banner).toContain(`  API        ${service.origin}/v1\n`);
    expect(banner).toContain(`  Reference  ${service.origin}/docs\n`);
    expect(banner).toContain(`  Health     ${service.origin}/readyz\n`);
    expect(banner).toMatch(new RegExp(`^ {2}Data {7}${place.dataDir} \\(embedded PostgreSQL \\d+\\)$`, 'm'));
    expect(banner).toContain(demoPassword);
    for (const { email } of printedPeople) {
      expect(banner).toContain(email);
      const { status, token } = await login(service, email);
      expect(status).toBe(200);
      expect(await statusOf(service, '/v1/auth/me', token)).toBe(200);
    }
    for (const path of addresses) expect([path, await statusOf(service, path)]).toEqual([path, 200]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends on %s with 0 and leaves no database process behind', async (signal) => {
    // As root, a folder that only root may enter has its cluster elsewhere; that one must be stopped too.
    const place = signal === 'SIGTERM' ? newPlace({ mode: 0o700 }) : filledPlace();
    const service = await place.serve({ DEMO: 'off' });
    expect(place.databaseProcesses()).toEqual([place.database().pid]);
    expect(await service.end(signal)).toMatchObject({ code: 0, stderr: '' });
    expect(leftovers(place)).toEqual(nothing);
  });

  it('ends with 0 although somebody holds a connection open and asks nothing', async () => {
    const place = filledPlace();
    const service = await place.serve();
    // As browsers do, to have one at hand.
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    // The connection is the service's only once it was accepted; an answer on a later one shows that.
    expect(await untilReady(service)).toBe(true);
    const ended = await service.end('SIGTERM');
    socket.destroy();
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(leftovers(place)).toEqual(nothing);
  });

  it('leaves no database process behind when it is told to end while it starts', async () => {
    const place = filledPlace();
    const run = place.start(['serve']);
    await until('PostgreSQL is on its way up', () => place.databaseProcesses()[0]);
    run.kill('SIGTERM');
    await run.ended;
    expect(leftovers(place)).toEqual(nothing);
  });

  it('leaves no database process behind when it is told to end while the database starts again', async () => {
    const place = filledPlace();
    const service = await place.serve();
    const { pid } = place.database();
    send(pid, 'SIGKILL');
    await until('PostgreSQL is on its way up again', () => (place.database().pid === pid ? undefined : true));
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
    expect(leftovers(place)).toEqual(nothing);
  });

  it('loads nothing with DEMO=off', async () => {
    const place = newPlace();
    const service = await place.serve({ DEMO: 'off' });
    expect(service.stdout()).not.toContain(demoPassword);
    expect((await login(service, people.admin.email)).status).toBe(401);
    for (const table of ['app_user', 'producer', 'event', 'item']) expect(await place.query(`select from ${table}`)).toEqual([]);
  });

  it('says that PORT is taken and stops the database again', async () => {
    const place = filledPlace();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await place.run(['serve'], { environment: { PORT: String(port) } });
    other.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^PORT=${port} is taken`));
    expect(leftovers(place)).toEqual(nothing);
  });

  it.skipIf(!hasIpv6)('names an address with a colon in it the way a browser takes it', async () => {
    const service = await filledPlace().serve({ HOST: '::1' });
    expect(service.origin).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect(await untilReady(service)).toBe(true);
  });
});

describe('a second start', () => {
  async function startAgain(place: Place, first: Service) {
    const before = place.database();
    const { code, stderr } = await place.run(['serve']);
    await untilReady(first);
    const sameDatabase = place.database().pid === before.pid && !first.stdout().includes('starting it again');
    return { code, sameDatabase, said: /already running/.exec(stderr)?.[0] ?? stderr };
  }
  const refused = { code: 1, sameDatabase: true, said: 'already running' };

  it('on the same data folder says so and harms nothing', async () => {
    const place = filledPlace();
    const first = await place.serve();
    const { token } = await login(first, people.admin.email);
    expect(await startAgain(place, first)).toEqual(refused);
    expect(await statusOf(first, '/v1/users', token)).toBe(200);
  });

  it('says so and harms nothing after the database lost all its sessions in a crash of one', async () => {
    const place = filledPlace();
    const first = await place.serve();
    // PostgreSQL ends all sessions when one dies like that, and goes on in the same process.
    send(await sessionIn(place), 'SIGKILL');
    await untilReady(first);
    await until('the database belongs to the service again', () => ownerOf(place));
    expect(await startAgain(place, first)).toEqual(refused);
  });

  it('at the same time on the same empty folder: one serves, the other says so', async () => {
    const place = newPlace();
    const runs = [place.start(['serve'], { DEMO: 'off' }), place.start(['serve'], { DEMO: 'off' })];
    const loser = await until('one has given up', () => runs.find((run) => !run.running()));
    expect(await loser.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('already running') as string });
    const winner = runs.find((run) => run !== loser) ?? loser;
    await untilPrinted(winner, 'Tessera is ready.');
    expect(winner.running()).toBe(true);
  });

  /** The session that holds the lock of the cluster's owner. */
  async function ownerOf(place: Place): Promise<number | undefined> {
    const [row] = await place.query<{ pid: number }>(
      `select pid from pg_locks join pg_database on pg_database.oid = database where locktype = 'advisory' and datname = 'postgres'`,
    );
    return row?.pid;
  }
});

describe('after kill -9', () => {
  /** Writes with several hands and kills in the middle of that; answers what was acknowledged, all of which must stay. */
  async function killWhileWriting(service: Service, token: string, prefix: string, kill: () => void): Promise<string[]> {
    const acknowledged: string[] = [];
    const killed = new AbortController();
    const write = async (hand: number) => {
      for (let i = 0; !killed.signal.aborted; i++) {
        const email = `${prefix}-${hand}-${i}@test.test`;
        const { status } = await service.call('POST', '/v1/users', { token, body: { email, name: 'Written' } });
        if (status === 201) acknowledged.push(email);
      }
    };
    const hands = [0, 1, 2, 3].map((hand) => write(hand).catch(() => undefined));
    await until('something is written', () => acknowledged[9]);
    kill();
    killed.abort();
    await Promise.all(hands);
    return acknowledged;
  }

  async function expectKept(place: Place, emails: string[]): Promise<void> {
    const kept = new Set(await emailsIn(place));
    expect(emails.filter((email) => !kept.has(email))).toEqual([]);
  }

  it(
    'of the service only, the next start ends the orphaned database and has everything',
    async () => {
      const place = filledPlace();
      const written: string[] = [];
      let service = await place.serve();
      const { token } = await login(service, people.admin.email);
      for (let round = 0; round < rounds; round++) {
        const { pid } = place.database();
        written.push(...(await killWhileWriting(service, token, `service${round}`, () => service.kill('SIGKILL'))));
        await service.ended;
        expect(place.databaseProcesses()).toEqual([pid]);
        service = await place.serve();
        expect(place.databaseProcesses()).toEqual([place.database().pid]);
        expect(place.database().pid).not.toBe(pid);
        await expectKept(place, written);
        // The token is from before all the kills: keys and sessions are data too.
        expect(await statusOf(service, '/v1/auth/me', token)).toBe(200);
      }
      expect(place.socketDirs()).toHaveLength(1);
    },
    killTimeout,
  );

  it(
    'of PostgreSQL only, the service starts it again by itself, and so does the next start',
    async () => {
      const place = filledPlace();
      const written: string[] = [];
      let service = await place.serve();
      const { token } = await login(service, people.admin.email);
      for (let round = 0; round < rounds; round++) {
        const { pid } = place.database();
        written.push(...(await killWhileWriting(service, token, `database${round}`, () => send(pid, 'SIGKILL'))));
        await until('PostgreSQL is another process', () => (place.database().pid === pid ? undefined : true));
        await untilReady(service);
        await expectKept(place, written);
        expect(await statusOf(service, '/v1/auth/me', token)).toBe(200);
        expect(service.running()).toBe(true);

        expect((await service.end('SIGTERM')).code).toBe(0);
        service = await place.serve();
        await expectKept(place, written);
      }
      expect((await place.run(['audit'])).code).toBe(0);
    },
    killTimeout,
  );

  it(
    'of both, the next start comes up by itself and has everything',
    async () => {
      const place = filledPlace();
      const written: string[] = [];
      let service = await place.serve();
      const { token } = await login(service, people.admin.email);
      for (let round = 0; round < rounds; round++) {
        const { pid } = place.database();
        const kill = () => {
          service.kill('SIGKILL');
          send(pid, 'SIGKILL');
        };
        written.push(...(await killWhileWriting(service, token, `both${round}`, kill)));
        await service.ended;
        service = await place.serve();
        await expectKept(place, written);
        expect(await statusOf(service, '/v1/auth/me', token)).toBe(200);
      }
      expect((await place.run(['audit'])).code).toBe(0);
      expect(place.socketDirs()).toHaveLength(1);
    },
    killTimeout,
  );

  it('of the service while it makes its first data, the next start begins anew', async () => {
    const place = newPlace();
    const run = place.start(['serve'], { DEMO: 'off' });
    await until('initdb is at work', () => place.databaseProcesses()[0]);
    run.kill('SIGKILL');
    await run.ended;
    expect(await untilReady(await place.serve())).toBe(true);
  });

  it('the next start waits for a session of the old server that is still alive', async () => {
    const place = filledPlace();
    const service = await place.serve();
    const { pid } = place.database();
    const frozen = await sessionIn(place);
    send(frozen, 'SIGSTOP');
    try {
      service.kill('SIGKILL');
      send(pid, 'SIGKILL');
      await service.ended;
      const next = place.start(['serve']);
      // Two servers on the same files would ruin them.
      await until('PostgreSQL has refused', () => /still in use/.test(readFileSync(`${place.dataDir}/postgres.log`, 'utf8')) || undefined);
      expect(next.stdout()).not.toContain('ready');
      send(frozen, 'SIGCONT');
      await untilPrinted(next, 'Tessera is ready.');
    } finally {
      send(frozen, 'SIGKILL');
    }
  });

  it('a lock file that names a process that is not PostgreSQL does not prevent the start, nor harm that process', async () => {
    const place = await killedPlace();
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
    try {
      await once(bystander, 'spawn');
      writeIntoLockFile(place, bystander.pid ?? Number.NaN);
      expect(await untilReady(await place.serve())).toBe(true);
      expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null]);
    } finally {
      bystander.kill('SIGKILL');
    }
  });

  it('a lock file that names the PostgreSQL of another folder does not prevent the start, nor harm that one', async () => {
    const place = await killedPlace();
    const neighbour = filledPlace();
    const other = await neighbour.serve();
    const { pid } = neighbour.database();
    writeIntoLockFile(place, pid);
    expect(await untilReady(await place.serve())).toBe(true);
    expect(await untilReady(other)).toBe(true);
    expect(other.stdout()).not.toContain('ended by itself');
    expect(neighbour.databaseProcesses()).toEqual([pid]);
  });
});

describe('wrong configuration', () => {
  /** The passwords in here must not be seen again. */
  const wrongValues: Record<string, string[]> = {
    PORT: ['65536'],
    HOST: [''],
    DATA_DIR: [' '],
    DATABASE_URL: ['mysql://user:hunter2@localhost/tessera', 'hunter2'],
    PUBLIC_URL: ['tickets.example'],
    SMTP_URL: ['http://user:hunter2@localhost'],
    SERVE: ['shop,everything'],
    DEMO: ['yes'],
    LOG_LEVEL: ['loud'],
    CORS_ORIGINS: ['https://shop.example/path'],
    TRUST_PROXY: ['true'],
    RATE_LIMIT: ['0'],
    LOAD_SHEDDING: ['no'],
    UNSAFE_DATABASE: ['on'],
  };
  /** Any text will do. */
  const withoutWrongValue = ['METRICS_TOKEN'];

  it('has a case for every variable', () => {
    const asked = new Set<string>();
    readConfig(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }));
    expect([...asked].toSorted()).toEqual([...Object.keys(wrongValues), ...withoutWrongValue].toSorted());
  });

  const cases = Object.entries(wrongValues).flatMap(([name, values]) => values.map((value) => [name, value] as const));

  it('ends the start with 1 and the name of the variable, and touches no data', async () => {
    const place = newPlace();
    const attempts = cases.map(async ([name, value]) => {
      const { code, stdout, stderr } = await place.run(['serve'], { environment: { [name]: value } });
      return { name, code, stdout, named: stderr.startsWith(`${name}=`), secret: /hunter2/.test(stderr) };
    });
    for (const attempt of await Promise.all(attempts)) {
      expect(attempt).toEqual({ name: attempt.name, code: 1, stdout: '', named: true, secret: false });
    }
    expect(existsSync(place.dataDir)).toBe(false);
  });

  it('a database that does not answer is named by its address, without its password', async () => {
    const { code, stderr } = await newPlace().run(['migrate'], {
      environment: { DATABASE_URL: 'postgresql://user:hunter2@localhost:1/tessera' },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/localhost|127\.0\.0\.1|::1/);
    expect(stderr).not.toContain('hunter2');
  });
});

describe('the command line', () => {
  it('explains every command with --help, whatever the configuration', async () => {
    const place = newPlace();
    const answers = commands.map(async (name) => ({ name, ...(await place.run([name, '--help'], { environment: { PORT: 'wrong' } })) }));
    for (const { name, code, stdout, stderr } of await Promise.all(answers)) {
      expect([name, code, stderr]).toEqual([name, 0, '']);
      expect(stdout).toMatch(new RegExp(`^tessera ${name}\\b`));
    }
    const { code, stdout } = await place.run(['--help']);
    expect(code).toBe(0);
    for (const name of commands) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(existsSync(place.dataDir)).toBe(false);
  });

  it('ends with 2 and the list of commands for an unknown one and for none', async () => {
    const place = newPlace();
    const [unknown, none] = await Promise.all([place.run(['sevre']), place.run([])]);
    expect(unknown?.stderr).toMatch(/^There is no command sevre\./);
    for (const { code, stderr, stdout } of [unknown, none]) {
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('Usage: tessera COMMAND');
    }
  });

  it('explains how to call a command that was called wrongly, and touches no data', async () => {
    const place = newPlace();
    const calls = [
      ['migrate', '--force'],
      ['keys', 'drop'],
      ['user', 'constructor'],
      ['user', 'create', 'x@test.test'],
      ['user', 'grant', 'x@test.test', '--admin', '--event', '1'],
    ];
    const answers = await Promise.all(calls.map(async (call) => ({ call, ...(await place.run(call)) })));
    for (const { call, code, stderr } of answers) {
      expect([call, code]).toEqual([call, 1]);
      expect(stderr).toContain(`Usage:\ntessera ${call[0]}`);
    }
    expect(existsSync(place.dataDir)).toBe(false);
  });
});

/** A password comes as a line on standard input. */
const asLine = (text: string) => ({ input: `${text}\n` });

describe('commands while the service runs', () => {
  const newSharedPlace = usePlaces(afterAll);
  let place: Place;
  let service: Service;
  let pid: number;

  beforeAll(async () => {
    place = newSharedPlace({ like: fixture });
    service = await place.serve();
    ({ pid } = place.database());
  });

  afterEach(async () => {
    // Commands are guests in its database and leave it as it is.
    if (place.database().pid !== pid) throw new Error('A command has ended the database of the service');
    await untilReady(service);
  });

  const create = (email: string) => place.run(['user', 'create', email, '--name', 'Some One'], asLine(password));

  it('migrate finds nothing to do', async () => {
    expect(await place.run(['migrate'])).toEqual({ code: 0, stdout: 'The schema is up to date.\n', stderr: '' });
  });

  it('demo changes nothing where it is loaded already', async () => {
    const before = await place.query('select count(*) from audit_log');
    expect(await place.run(['demo'])).toEqual({ code: 0, stdout: 'The demo data is there already.\n', stderr: '' });
    expect(await place.query('select count(*) from audit_log')).toEqual(before);
  });

  it('user create, password and grant take effect at once', async () => {
    const email = 'new@test.test';
    const created = await create(email);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(created.stdout).toMatch(/^User \d+ created: new@test\.test\.\n$/);
    const { token } = await login(service, email, password);
    expect(await statusOf(service, '/v1/users', token)).toBe(403);

    expect((await place.run(['user', 'grant', email, '--admin'])).code).toBe(0);
    expect(await statusOf(service, '/v1/users', token)).toBe(200);

    expect((await place.run(['user', 'password', email], asLine('another long password'))).code).toBe(0);
    expect(await statusOf(service, '/v1/users', token)).toBe(401);
    expect((await login(service, email, password)).status).toBe(401);
    expect((await login(service, email, 'another long password')).status).toBe(200);
  });

  it('user grant gives a role of a producer and of an event, and changes it', async () => {
    const { email } = people.admin;
    const [ids] = await place.query<{ producer: string; event: string }>(
      'select (select min(id) from producer) as producer, (select min(id) from event) as event',
    );
    const { producer = '', event = '' } = ids ?? {};
    const grants = [
      ['--producer', producer, '--role', 'manager'],
      ['--producer', producer, '--role', 'owner'],
      ['--event', event, '--role', 'sales_operator'],
    ];
    for (const grant of grants) expect((await place.run(['user', 'grant', email, ...grant])).code).toBe(0);
    const { body } = await service.call('GET', '/v1/auth/me', { token: (await login(service, email)).token });
    expect(body).toMatchObject({
      producers: [{ id: Number(producer), role: 'owner' }],
      events: [{ id: Number(event), role: 'sales_operator' }],
    });
  });

  it('user says what is wrong and changes nothing', async () => {
    const email = people.sales.email;
    const before = await place.query('select count(*) from audit_log');
    const refused: [RegExp, Promise<Ended>][] = [
      [/--role is one of owner, manager/, place.run(['user', 'grant', email, '--producer', '1', '--role', 'admin'])],
      [/There is no producer 999/, place.run(['user', 'grant', email, '--producer', '999', '--role', 'owner'])],
      [/There is no event 999/, place.run(['user', 'grant', email, '--event', '999', '--role', 'admin'])],
      [/There is no user nobody@test\.test/, place.run(['user', 'password', 'nobody@test.test'], asLine(password))],
      [/10 to 200 characters/, place.run(['user', 'password', email], asLine('too short'))],
      [/password is missing/, place.run(['user', 'password', email])],
      [/There is a user with this e-mail/, create(email)],
    ];
    for (const [message, run] of refused) {
      const { code, stdout, stderr } = await run;
      expect(stderr).toMatch(message);
      expect([code, stdout]).toEqual([1, '']);
    }
    expect(await place.query('select count(*) from audit_log')).toEqual(before);
    expect((await login(service, email)).status).toBe(200);
  });

  it('keys rotate logs nobody out and signs with a new key', async () => {
    const before = await login(service, people.admin.email);
    expect(await statusOf(service, '/v1/auth/me', before.token)).toBe(200);
    const oldKeys = await keysOf(service);
    expect((await place.run(['keys', 'rotate'])).stdout).toMatch(/^Key \S+ signs from now on; \S+ still verifies\.\n$/);
    expect(await statusOf(service, '/v1/auth/me', before.token)).toBe(200);

    const after = await login(service, people.admin.email);
    expect(await statusOf(service, '/v1/auth/me', after.token)).toBe(200);
    expect(kidOf(after.token)).not.toBe(kidOf(before.token));
    const keys = await keysOf(service);
    expect(keys).toEqual(expect.arrayContaining([...oldKeys, kidOf(before.token), kidOf(after.token)]));
    expect(keys).toHaveLength(oldKeys.length + 1);
  });

  it('audit ends with 0 when all is well, and with 1 and the difference when a guard is switched off', async () => {
    const fine = await place.run(['audit']);
    expect(fine).toMatchObject({ code: 0, stderr: '' });
    expect(fine.stdout).toMatch(/^No differences\.$/m);
    await place.query('alter table audit_log disable trigger audit_log_append_only');
    const broken = await place.run(['audit']);
    await place.query('alter table audit_log enable trigger audit_log_append_only');
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^FAIL {2}constraints, indexes and triggers/m);
    expect(broken.stdout).toMatch(/trigger audit_log_append_only on audit_log is switched off/);
    expect(broken.stdout).toMatch(/^1 differences?\.$/m);
    expect((await place.run(['audit'])).code).toBe(0);
  });

  it('worker joins in and ends on SIGTERM with 0', async () => {
    const run = place.start(['worker']);
    await untilPrinted(run, 'working in the background');
    run.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

async function keysOf(service: Service): Promise<string[]> {
  const { body } = await service.call('GET', '/.well-known/jwks.json');
  return (body as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
}

const kidOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;

describe('commands while no service runs', () => {
  it('migrate makes the schema, and the second time finds nothing to do', async () => {
    const place = newPlace();
    expect((await place.run(['migrate'])).stdout).toMatch(/^Applied 0001_\S+\.sql, .*\.\n$/);
    expect(leftovers(place)).toEqual(nothing);
    expect(await place.run(['migrate'])).toEqual({ code: 0, stdout: 'The schema is up to date.\n', stderr: '' });
    expect(leftovers(place)).toEqual(nothing);
  });

  it('demo loads data that the audit finds in order, and the second time changes nothing', async () => {
    expect(loaded).toMatchObject({ code: 0, stderr: '' });
    expect(loaded.stdout).toMatch(new RegExp(`^Loaded\\. Log in as .*${people.admin.email}.* ${demoPassword}\\.\n$`));
    const place = filledPlace();
    expect(await place.run(['demo'])).toEqual({ code: 0, stdout: 'The demo data is there already.\n', stderr: '' });
    const { code, stdout } = await place.run(['audit']);
    expect(stdout).toMatch(/^No differences\.$/m);
    expect(code).toBe(0);
    expect(leftovers(place)).toEqual(nothing);
  });

  it('user, keys and audit do their work and stop the database again', async () => {
    const place = newPlace();
    const email = 'new@test.test';
    const work: [string[], string?][] = [
      [['user', 'create', email, '--name', 'Some One'], password],
      [['user', 'grant', email, '--admin']],
      [['user', 'password', email], 'another long password'],
      [['keys', 'rotate']],
      [['audit']],
    ];
    for (const [args, line] of work) {
      expect(await place.run(args, line === undefined ? {} : asLine(line))).toMatchObject({ code: 0, stderr: '' });
      expect(leftovers(place)).toEqual(nothing);
    }
    const refused = await place.run(['user', 'grant', 'nobody@test.test', '--admin']);
    expect(refused).toMatchObject({ code: 1, stderr: 'There is no user nobody@test.test\n' });
    expect(leftovers(place)).toEqual(nothing);

    const service = await place.serve();
    expect(await emailsIn(place)).toEqual([email]);
    const { token } = await login(service, email, 'another long password');
    expect(await statusOf(service, '/v1/users', token)).toBe(200);
    expect(await keysOf(service)).toHaveLength(1);
    await place.query('alter table audit_log disable trigger audit_log_append_only');
    await service.end('SIGTERM');

    const { code, stdout } = await place.run(['audit']);
    expect([code, /audit_log_append_only on audit_log is switched off/.test(stdout)]).toEqual([1, true]);
    expect(leftovers(place)).toEqual(nothing);
  });

  it('two at the same time each do their work or say that they did not', async () => {
    const place = filledPlace();
    const emails = ['one@test.test', 'two@test.test'];
    const create = (email: string) => place.run(['user', 'create', email, '--name', 'Some One'], asLine(password));
    const ended = await Promise.all(emails.map(create));
    const created = emails.filter((_, i) => ended[i]?.code === 0);
    expect(created).not.toEqual([]);
    expect(leftovers(place)).toEqual(nothing);
    await place.serve();
    expect((await emailsIn(place)).filter((email) => emails.includes(email)).toSorted()).toEqual(created);
  });
});

describe('a database of DATABASE_URL', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** With nothing in it, not even a schema. */
  async function emptyDatabase(): Promise<{ url: string; query: (statement: string) => Promise<unknown[]> }> {
    const { url, drop } = await createDatabase();
    const client = new pg.Client({ connectionString: url });
    // Dropping the database ends the session.
    client.on('error', () => undefined);
    await client.connect();
    closing.push(() => client.end(), drop);
    await client.query('drop schema public cascade; create schema public');
    return { url, query: async (statement) => (await client.query(statement)).rows };
  }

  it('that could lose what it has acknowledged is refused, unless UNSAFE_DATABASE=allow', async () => {
    const place = newPlace();
    const { url } = await emptyDatabase();
    const { code, stderr } = await place.run(['serve'], { environment: { DATABASE_URL: url } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database has fsync .*off.* UNSAFE_DATABASE=allow\n$/);

    const service = await place.serve({ DATABASE_URL: url, UNSAFE_DATABASE: 'allow' });
    expect(await untilReady(service)).toBe(true);
    expect((await service.end('SIGTERM')).code).toBe(0);
    expect(existsSync(place.dataDir)).toBe(false);
  });

  it('gets demo data only when asked', async () => {
    const place = newPlace();
    const { url, query } = await emptyDatabase();
    const environment = { DATABASE_URL: url, UNSAFE_DATABASE: 'allow', DEMO: 'on' };
    const service = await place.serve(environment);
    expect(service.stdout()).not.toContain(demoPassword);
    expect(await query('select from app_user')).toEqual([]);
    expect((await place.run(['demo'], { environment })).stdout).toMatch(/^Loaded\./);
    expect((await login(service, people.admin.email)).status).toBe(200);
  });
});
