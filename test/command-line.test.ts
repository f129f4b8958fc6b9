import { appendFileSync, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { ConfigError } from '../src/config/read-setting.ts';
import { readConfig } from '../src/config.ts';
import { demoPassword, people } from '../src/demo/people.ts';
import { eventually } from './eventually.ts';
import { createDatabase } from './harness.ts';
import {
  type DataFolder,
  type ExitResult,
  emailsIn,
  leftoversIn,
  noLeftovers,
  type Service,
  waitUntilPrinted,
  waitUntilReady,
} from './process.ts';
import { testSecretKey } from './secret-key.ts';
import { useDataFolders, useProcesses } from './use-processes.ts';

const commands = [
  'serve',
  'worker',
  'migrate',
  'demo',
  'user',
  'device',
  'keys',
  'audit',
  'reconcile',
  'notices',
  'retention',
  'skip-ids',
  'openapi',
];
const password = 'a long enough password';

const { newDataFolder, demoDataFolder } = useProcesses();

describe('invalid configuration', () => {
  /** Invalid values by variable. No message may contain the passwords in these values. */
  const invalidValues: Record<string, string[]> = {
    PORT: ['65536'],
    HOST: [''],
    DATA_DIR: [' '],
    DATABASE_URL: ['mysql://user:hunter2@localhost/tessera', 'hunter2'],
    DATABASE_READ_URL: ['host=a,b password=hunter2', 'hunter2'],
    DATABASE_POOL: ['3'],
    READ_ONLY: ['yes'],
    DRAIN_DELAY: ['16'],
    PUBLIC_URL: ['tickets.example'],
    SMTP_URL: ['http://user:hunter2@localhost'],
    MAIL_FROM: ['nobody'],
    FILES_URL: ['https://key:hunter2@store.example/bucket'],
    SERVE: ['shop,everything'],
    DEMO: ['yes'],
    PAYMENTS: ['paypal'],
    PAYMENT_MINUTES: ['61'],
    PAYMENTS_SANDBOX: ['yes'],
    LOG_LEVEL: ['loud'],
    CORS_ORIGINS: ['https://shop.example/path'],
    TRUST_PROXY: ['true'],
    RATE_LIMIT: ['0'],
    LOAD_SHEDDING: ['no'],
    UNSAFE_DATABASE: ['on'],
    WEBHOOKS_ALLOW_PRIVATE: ['yes'],
    OTEL_EXPORTER_OTLP_ENDPOINT: ['localhost:4318'],
    OTEL_TRACES_SAMPLER_ARG: ['2'],
    RETENTION_HOLD_DAYS: ['1'],
    RETENTION_HOLDER_DAYS: ['0'],
    RETENTION_MAIL_DAYS: ['never'],
    RETENTION_NOTICE_DAYS: ['7'],
    RETENTION_EXPORT_DAYS: ['0'],
    RETENTION_CHANGE_DAYS: ['3'],
    RETENTION_IDEMPOTENCY_DAYS: ['off'],
    RETENTION_AUDIT_MONTHS: ['-1'],
    SECRET_KEY: ['hunter2'],
    SECRET_KEY_FILE: ['/nowhere/at/all'],
    SECRET_KEY_OLD: ['hunter2'],
  };
  /** Variables for which any text is valid. */
  const withoutInvalidValue = ['METRICS_TOKEN'];

  it('has a test in this file for every variable', () => {
    const read = new Set<string>();
    readConfig(new Proxy({}, { get: (_, name) => void read.add(String(name)) }));
    expect([...read].toSorted()).toEqual([...Object.keys(invalidValues), ...withoutInvalidValue].toSorted());
  });

  const cases = Object.entries(invalidValues).flatMap(([name, values]) => values.map((value) => [name, value] as const));

  it.each(cases)('%s=%s is refused with a message that names the variable and contains no secret', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name}=`));
    expect(read).not.toThrow(/hunter2/);
  });

  it('makes the start fail with exit code 1 and a message, and creates no data', async () => {
    const folder = newDataFolder();
    const environment = { DATABASE_URL: 'mysql://user:hunter2@localhost/tessera' };
    const { code, stdout, stderr } = await folder.run(['serve'], { environment });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^DATABASE_URL=…/);
    expect(existsSync(folder.dataDir)).toBe(false);
  });

  it('of DATABASE_URL: the message names the host that cannot be reached, and does not contain the password', async () => {
    const { code, stderr } = await newDataFolder().run(['migrate'], {
      environment: { DATABASE_URL: 'postgresql://user:hunter2@localhost:1/tessera', SECRET_KEY: testSecretKey },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/localhost|127\.0\.0\.1|::1/);
    expect(stderr).not.toContain('hunter2');
  });
});

describe('the command line', () => {
  it('explains each command with --help, even if the configuration is invalid', async () => {
    const folder = newDataFolder();
    const answers = commands.map(async (name) => ({ name, ...(await folder.run([name, '--help'], { environment: { PORT: 'wrong' } })) }));
    for (const { name, code, stdout, stderr } of await Promise.all(answers)) {
      expect([name, code, stderr]).toEqual([name, 0, '']);
      expect(stdout).toMatch(new RegExp(`^tessera ${name}\\b`));
    }
    const { code, stdout } = await folder.run(['--help']);
    expect(code).toBe(0);
    for (const name of commands) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(existsSync(folder.dataDir)).toBe(false);
  });

  it('ends with exit code 2 and the list of commands if the command is unknown or missing', async () => {
    const folder = newDataFolder();
    const [unknown, none] = await Promise.all([folder.run(['sevre']), folder.run([])]);
    expect(unknown?.stderr).toMatch(/^Unknown command: sevre/);
    for (const { code, stderr, stdout } of [unknown, none]) {
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('Usage: tessera COMMAND');
    }
  });

  it('prints the usage of a command that has wrong arguments, and creates no data', async () => {
    const folder = newDataFolder();
    const calls = [
      ['migrate', '--force'],
      ['keys', 'drop'],
      ['user', 'constructor'],
      ['device', 'add', 'one', 'Phone'],
      ['user', 'create', 'x@test.test'],
      ['user', 'grant', 'x@test.test', '--admin', '--event', '1'],
    ];
    const answers = await Promise.all(calls.map(async (call) => ({ call, ...(await folder.run(call)) })));
    for (const { call, code, stderr } of answers) {
      expect([call, code]).toEqual([call, 1]);
      expect(stderr).toContain(`Usage:\ntessera ${call[0]}`);
    }
    expect(existsSync(folder.dataDir)).toBe(false);
  });
});

/** Commands read a password as a line from standard input. */
const asLine = (text: string) => ({ input: `${text}\n` });

describe('commands while the service runs', () => {
  const newSharedDataFolder = useDataFolders(afterAll);
  let folder: DataFolder;
  let service: Service;
  let pid: number;

  beforeAll(async () => {
    folder = newSharedDataFolder({ copyOf: inject('demoFolder') });
    service = await folder.serve();
    ({ pid } = folder.database());
  });

  afterEach(async () => {
    // A command must not stop the database server of the running service.
    if (folder.database().pid !== pid) throw new Error('A command has stopped the database of the service');
    await waitUntilReady(service);
  });

  const create = (email: string) => folder.run(['user', 'create', email, '--name', 'Some One'], asLine(password));

  it('migrate reports that the schema is up to date', async () => {
    expect(await folder.run(['migrate'])).toEqual({ code: 0, stdout: 'The schema is up to date.\n', stderr: '' });
  });

  it('demo changes nothing if the demo data exists', async () => {
    const before = await folder.query('select count(*) from audit_log');
    expect(await folder.run(['demo'])).toEqual({ code: 0, stdout: 'The demo data is already loaded.\n', stderr: '' });
    expect(await folder.query('select count(*) from audit_log')).toEqual(before);
  });

  it('reconcile reports that no payment was missed', async () => {
    expect(await folder.run(['reconcile'])).toEqual({ code: 0, stdout: 'No notice was missed.\n', stderr: '' });
  });

  it('notices list shows a failed notice, and notices retry queues it again', async () => {
    await folder.query(`insert into payment_notice (event_id, provider, notice_id, type, raw, reference, content, received_at, due_at, attempts, status, outcome)
                       values (0, 'sandbox', 'parked', 'paid', '{}', 'NOBODYS', '{"about": "change", "paymentProviderId": "x"}', '2020-01-01', '2020-01-02', 34, 'failed', 'failed: broken')`);
    expect(await folder.run(['notices', 'list'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/failed .*payment NOBODYS .*broken/),
    });
    expect(await folder.run(['notices', 'retry'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 notices are queued/) });
    expect(await folder.run(['notices', 'retry', '999999'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no notice 999999'),
    });
    expect(await folder.run(['notices'])).toMatchObject({ code: 1, stderr: expect.stringContaining('list or retry') });
    await folder.query(`delete from payment_notice where notice_id = 'parked'`);
  });

  it('device add prints a link with its QR code, and the token in the link opens the door of the event', async () => {
    const { stdout } = await folder.run(['device', 'add', '1', 'Phone 3', '--gate', 'Gate A']);
    expect(stdout).toMatch(/^Device \d+ \(Phone 3\) of event 1, valid until /);
    expect(stdout).toMatch(/[█▀▄]{10}/);
    const token = /\/door\/#pair=(tsd_1_\S+)/.exec(stdout)?.[1] ?? '';
    expect(await service.status('/v1/event/1/door', token)).toBe(200);
    expect(await service.status('/v1/event/2/door', token)).toBe(403);
  });

  it('user create, password and grant take effect immediately', async () => {
    const email = 'new@test.test';
    const created = await create(email);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(created.stdout).toMatch(/^User \d+ created: new@test\.test\.\n$/);
    const { token } = await service.logIn(email, password);
    expect(await service.status('/v1/users', token)).toBe(403);

    expect((await folder.run(['user', 'grant', email, '--admin'])).code).toBe(0);
    expect(await service.status('/v1/users', token)).toBe(200);

    expect((await folder.run(['user', 'password', email], asLine('another long password'))).code).toBe(0);
    expect(await service.status('/v1/users', token)).toBe(401);
    expect((await service.logIn(email, password)).status).toBe(401);
    expect((await service.logIn(email, 'another long password')).status).toBe(200);
  });

  it('user password revokes the API tokens of the user, and keeps them with --keep-tokens', async () => {
    const email = 'with-token@test.test';
    await create(email);
    const { token } = await service.logIn(email, password);
    const created = await service.call('POST', '/v1/auth/tokens', { token, body: { name: 'Mine', permissions: ['crew.read'] } });
    const api = (created.body as { token: string }).token;
    const kept = await folder.run(['user', 'password', email, '--keep-tokens'], asLine('another long password'));
    expect(kept.stdout).toBe(`${email} has a new password. Their sessions have ended.\n`);
    expect([await service.status('/v1/auth/me', token), await service.status('/v1/auth/me', api)]).toEqual([401, 200]);
    const revoked = await folder.run(['user', 'password', email], asLine('a third long password'));
    expect(revoked.stdout).toBe(`${email} has a new password. Their sessions have ended and their API tokens are revoked.\n`);
    expect(await service.status('/v1/auth/me', api)).toBe(401);
  });

  it('user grant gives and changes roles in a producer and in an event', async () => {
    const { email } = people.admin;
    const [ids] = await folder.query<{ producer: string; event: string }>(
      'select (select min(id) from producer) as producer, (select min(id) from event) as event',
    );
    const { producer = '', event = '' } = ids ?? {};
    const grants = [
      ['--producer', producer, '--role', 'manager'],
      ['--producer', producer, '--role', 'owner'],
      ['--event', event, '--role', 'sales_operator'],
    ];
    for (const grant of grants) expect((await folder.run(['user', 'grant', email, ...grant])).code).toBe(0);
    const { body } = await service.call('GET', '/v1/auth/me', { token: (await service.logIn(email)).token });
    expect(body).toMatchObject({
      producers: [{ id: Number(producer), role: 'owner' }],
      events: [{ id: Number(event), role: 'sales_operator' }],
    });
  });

  it('user erase ends the sessions of the user and erases name and e-mail', async () => {
    const email = 'erase-me@test.test';
    await create(email);
    const { token } = await service.logIn(email, password);
    const erased = await folder.run(['user', 'erase', email]);
    expect(erased).toMatchObject({ code: 0, stdout: expect.stringMatching(/^User \d+ is erased\./), stderr: '' });
    expect(await service.status('/v1/auth/me', token)).toBe(401);
    expect(await folder.query(`select from app_user where email = '${email}'`)).toEqual([]);
    expect(await folder.run(['user', 'erase', email])).toMatchObject({ code: 1, stderr: `No user has the e-mail ${email}.\n` });
  });

  it('user reset-factors removes the second factors of the user', async () => {
    const email = 'lost-phone@test.test';
    await create(email);
    await folder.query(
      `insert into auth_factor (user_id, kind, name, sealed_secret, created_at, confirmed_at)
       select id, 'totp', 'Phone', 'x', now(), now() from app_user where email = '${email}' returning id`,
    );
    const reset = await folder.run(['user', 'reset-factors', email]);
    expect(reset).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 second factors of lost-phone@test\.test are removed\./) });
    expect((await service.logIn(email, password)).token).toBeTruthy();
  });

  it('user explains what is wrong with its input, and changes nothing', async () => {
    const email = people.sales.email;
    const before = await folder.query('select count(*) from audit_log');
    const refused: [RegExp, Promise<ExitResult>][] = [
      [/--role must be one of owner, manager/, folder.run(['user', 'grant', email, '--producer', '1', '--role', 'admin'])],
      [/There is no producer 999/, folder.run(['user', 'grant', email, '--producer', '999', '--role', 'owner'])],
      [/There is no event 999/, folder.run(['user', 'grant', email, '--event', '999', '--role', 'admin'])],
      [/No user has the e-mail nobody@test\.test/, folder.run(['user', 'password', 'nobody@test.test'], asLine(password))],
      [/10 to 200 characters/, folder.run(['user', 'password', email], asLine('too short'))],
      [/A user with this e-mail already exists/, create(email)],
      [/No password on standard input/, folder.run(['user', 'password', email])],
    ];
    for (const [message, run] of refused) {
      const { code, stdout, stderr } = await run;
      expect(stderr).toMatch(message);
      expect([code, stdout]).toEqual([1, '']);
    }
    expect(await folder.query('select count(*) from audit_log')).toEqual(before);
    expect((await service.logIn(email)).status).toBe(200);
  });

  it('keys rotate signs new tokens with a new key, and keeps old tokens valid', async () => {
    const before = await service.logIn(people.admin.email);
    expect(await service.status('/v1/auth/me', before.token)).toBe(200);
    const oldKeys = await keysOf(service);
    expect((await folder.run(['keys', 'rotate'])).stdout).toMatch(
      /^New signing key: \S+\.\nTokens signed with \S+ stay valid until they expire\.\n$/,
    );
    expect(await service.status('/v1/auth/me', before.token)).toBe(200);

    const after = await service.logIn(people.admin.email);
    expect(await service.status('/v1/auth/me', after.token)).toBe(200);
    expect(kidOf(after.token)).not.toBe(kidOf(before.token));
    const keys = await keysOf(service);
    expect(keys).toEqual(expect.arrayContaining([...oldKeys, kidOf(before.token), kidOf(after.token)]));
    expect(keys).toHaveLength(oldKeys.length + 1);
  });

  it('audit ends with exit code 0 if there are no differences, and with 1 if a trigger is disabled', async () => {
    const fine = await folder.run(['audit']);
    expect(fine).toMatchObject({ code: 0, stderr: '' });
    expect(fine.stdout).toMatch(/^No differences\.$/m);
    await folder.query('alter table audit_log disable trigger audit_log_append_only');
    const broken = await folder.run(['audit']);
    await folder.query('alter table audit_log enable trigger audit_log_append_only');
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^FAIL {2}constraints, indexes and triggers/m);
    expect(broken.stdout).toMatch(/trigger audit_log_append_only on audit_log is disabled/);
    expect(broken.stdout).toMatch(/^1 differences?\.$/m);
  });

  it('worker runs next to the service and ends on SIGTERM with exit code 0', async () => {
    const run = folder.start(['worker']);
    await waitUntilPrinted(run, 'The worker is running');
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
  it('migrate creates the schema, and reports the second time that it is up to date', async () => {
    const folder = newDataFolder();
    expect((await folder.run(['migrate'])).stdout).toMatch(/^Applied 0001_\S+\.sql, .*\.\n$/);
    expect(leftoversIn(folder)).toEqual(noLeftovers);
    expect(await folder.run(['migrate'])).toEqual({ code: 0, stdout: 'The schema is up to date.\n', stderr: '' });
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('retention --dry-run prints what it would remove, and retention removes it', async () => {
    const folder = demoDataFolder();
    // This service runs no worker, so only the command removes rows.
    await folder.serve({ SERVE: 'account' });
    await folder.query(`insert into login_failure select 'old ' || n, 1, '2020-01-01' from generate_series(1, 1500) n`);
    const left = async () =>
      Number((await folder.query<{ n: string }>(`select count(*) as n from login_failure where subject ^@ 'old'`))[0]?.n);
    const preview = await folder.run(['retention', '--dry-run']);
    expect(preview).toMatchObject({ code: 0, stderr: '' });
    expect(preview.stdout).toMatch(/^loginFailures +1500$[^]*^holds +0$[^]*^Nothing was removed\.$/m);
    expect(await left()).toBe(1_500);
    const removed = await folder.run(['retention'], { environment: { RETENTION_AUDIT_MONTHS: 'off' } });
    expect(removed).toMatchObject({ code: 0, stderr: '' });
    expect(removed.stdout).toMatch(/^loginFailures +1500$/m);
    expect(removed.stdout).not.toContain('auditPartitions ');
    expect(await left()).toBe(0);
  });

  it('audit neither creates nor migrates a database', async () => {
    const folder = newDataFolder();
    expect(await folder.run(['audit'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no database in .* Run `tessera migrate` first\.\n$/),
    });
    expect(existsSync(folder.dataDir)).toBe(false);

    const old = demoDataFolder();
    const service = await old.serve();
    const [newest] = await old.query<{ name: string }>('select max(name) as name from schema_migration');
    await old.query(`delete from schema_migration where name = '${newest?.name}'`);
    expect(await old.run(['audit'])).toMatchObject({ code: 1, stderr: expect.stringContaining(`lacks ${newest?.name}`) });
    await service.end('SIGTERM');
  });

  it('demo loads data without audit findings, and changes nothing the second time', async () => {
    const loaded = inject('demoFolder').ended;
    expect(loaded).toMatchObject({ code: 0, stderr: '' });
    expect(loaded.stdout).toMatch(new RegExp(`^Loaded\\. Log in with:\n    ${people.admin.email} +${demoPassword}  platform admin\n`));
    const folder = demoDataFolder();
    expect(await folder.run(['demo'])).toEqual({ code: 0, stdout: 'The demo data is already loaded.\n', stderr: '' });
    const { code, stdout } = await folder.run(['audit']);
    expect(stdout).toMatch(/^No differences\.$/m);
    expect(code).toBe(0);
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('user, keys and audit start the database, run and stop the database', async () => {
    const folder = demoDataFolder();
    const email = 'new@test.test';
    const work: [string[], string?][] = [
      [['user', 'create', email, '--name', 'Some One'], password],
      [['user', 'grant', email, '--admin']],
      [['user', 'password', email], 'another long password'],
      [['keys', 'rotate']],
      [['audit']],
    ];
    for (const [args, line] of work) {
      expect(await folder.run(args, line === undefined ? {} : asLine(line))).toMatchObject({ code: 0, stderr: '' });
      expect(leftoversIn(folder)).toEqual(noLeftovers);
    }
    const refused = await folder.run(['user', 'grant', 'nobody@test.test', '--admin']);
    expect(refused).toMatchObject({ code: 1, stderr: 'No user has the e-mail nobody@test.test.\n' });
    expect(leftoversIn(folder)).toEqual(noLeftovers);

    const service = await folder.serve();
    expect(await emailsIn(folder)).toContain(email);
    const { token } = await service.logIn(email, 'another long password');
    expect(await service.status('/v1/users', token)).toBe(200);
    // These are the first key of the database and the key that has replaced it.
    expect(await keysOf(service)).toHaveLength(2);
    await folder.query('alter table audit_log disable trigger audit_log_append_only');
    await service.end('SIGTERM');

    const { code, stdout } = await folder.run(['audit']);
    expect([code, /audit_log_append_only on audit_log is disabled/.test(stdout)]).toEqual([1, true]);
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  const ownerFile = ({ lockFile }: DataFolder) => `${dirname(lockFile())}.owner`;

  it('a command that is interrupted leaves no database process behind', async () => {
    const folder = demoDataFolder();
    const run = folder.start(['audit']);
    await eventually('PostgreSQL is being started', () => folder.databaseProcesses()[0]);
    // The owner file must exist before the server starts. Otherwise another command would treat this server as abandoned and stop it.
    expect(Number.parseInt(readFileSync(ownerFile(folder), 'utf8'), 10)).toBe(run.pid);
    run.kill('SIGINT');
    await run.ended;
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('a command leaves no process and no file behind if another process claims the data folder while it starts', async () => {
    const [folder, other] = [demoDataFolder(), demoDataFolder()];
    await other.serve();
    appendFileSync(join(dirname(folder.lockFile()), 'postgresql.conf'), 'no_such_setting = on\n');
    const run = folder.start(['audit']);
    await eventually('PostgreSQL is being started', () => folder.socketDirs()[0]);
    copyFileSync(ownerFile(other), ownerFile(folder));
    expect(await run.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('already running on this data folder') });
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('at least one of two concurrent commands succeeds, and a command that reports success has succeeded', async () => {
    const folder = demoDataFolder();
    const emails = ['one@test.test', 'two@test.test'];
    const create = (email: string) => folder.run(['user', 'create', email, '--name', 'Some One'], asLine(password));
    const ended = await Promise.all(emails.map(create));
    const created = emails.filter((_, i) => ended[i]?.code === 0);
    expect(created).not.toEqual([]);
    expect(leftoversIn(folder)).toEqual(noLeftovers);
    await folder.serve();
    expect(await emailsIn(folder)).toEqual(expect.arrayContaining(created));
  });
});

describe('a database of DATABASE_URL', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** Creates a database without tables. */
  async function emptyDatabase(): Promise<{ url: string; query: (statement: string) => Promise<unknown[]> }> {
    const { url, drop } = await createDatabase();
    const client = new pg.Client({ connectionString: url });
    // The error is ignored. It occurs when the test drops the database, which closes the connection.
    client.on('error', () => undefined);
    await client.connect();
    closing.push(() => client.end(), drop);
    await client.query('drop schema public cascade; create schema public');
    return { url, query: async (statement) => (await client.query(statement)).rows };
  }

  it('is refused if it may lose committed data, unless UNSAFE_DATABASE=allow; demo data is loaded only by `tessera demo`', async () => {
    const folder = newDataFolder();
    const { url, query } = await emptyDatabase();
    expect((await folder.run(['migrate'], { environment: { DATABASE_URL: url, SECRET_KEY: testSecretKey } })).code).toBe(0);
    const { code, stderr } = await folder.run(['serve'], { environment: { DATABASE_URL: url, SECRET_KEY: testSecretKey } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database has fsync .*off.* UNSAFE_DATABASE=allow\.\n$/);

    const environment = { DATABASE_URL: url, SECRET_KEY: testSecretKey, UNSAFE_DATABASE: 'allow', DEMO: 'on' };
    const service = await folder.serve(environment);
    expect(await waitUntilReady(service)).toBe(true);
    expect(service.stdout()).not.toContain(demoPassword);
    expect(await query('select from app_user')).toEqual([]);
    expect(existsSync(folder.dataDir)).toBe(false);

    expect((await folder.run(['demo'], { environment })).stdout).toMatch(/^Loaded\./);
    expect((await service.logIn(people.admin.email)).status).toBe(200);
    expect((await service.end('SIGTERM')).code).toBe(0);
    expect(existsSync(folder.dataDir)).toBe(false);
  });

  it('is migrated only by `tessera migrate`: every other command refuses an older or newer schema and changes nothing', async () => {
    const folder = newDataFolder();
    const { url, query } = await emptyDatabase();
    const environment = { DATABASE_URL: url, SECRET_KEY: testSecretKey, UNSAFE_DATABASE: 'allow' };
    const run = (args: string[]) => folder.run(args, { environment });
    const refuse = async (commands: string[][], message: RegExp) => {
      const ended = await Promise.all(commands.map(async (args) => ({ args, ...(await run(args)) })));
      for (const { args, code, stdout, stderr } of ended)
        expect([args, code, stdout, stderr]).toEqual([args, 1, '', expect.stringMatching(message)]);
    };

    await refuse(
      [['serve'], ['worker'], ['demo'], ['audit'], ['keys', 'rotate']],
      /^The database has no schema yet\. Run `tessera migrate` first\.\n$/,
    );
    expect(await query(`select from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);

    expect((await run(['migrate'])).stdout).toMatch(/^Applied 0001_/);
    expect(await run(['audit'])).toMatchObject({ code: 0, stderr: '' });
    const [newest] = (await query('select max(name) as name from schema_migration')) as { name: string }[];
    await query(`delete from schema_migration where name = '${newest?.name}'`);
    await refuse(
      [['serve'], ['audit']],
      new RegExp(`^The database is older than this release, .*lacks ${newest?.name}\\. Run \`tessera migrate\` first\\.\n$`),
    );

    await query(`insert into schema_migration (name, hash, release) values ('9999_future.sql', '', '7.0.0')`);
    await refuse([['serve'], ['worker']], /^This release, .*, is older than the database: .* Use release 7\.0\.0 or newer\.\n$/);
    expect(await query('select from app_user')).toEqual([]);
    expect(existsSync(folder.dataDir)).toBe(false);

    await query(`update schema_migration set release = '0.1.0'`);
    await refuse(
      [['migrate'], ['serve'], ['user', 'grant', 'x@test.test', '--admin'], ['retention'], ['audit']],
      /^This database was created by release 0\.1\. .*Create an empty database and set DATABASE_URL .*only release 0\.1 can read it\.\n$/,
    );
  });
});
