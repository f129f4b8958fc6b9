import { appendFileSync, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';
import { demoPassword, people } from '../src/demo/people.ts';
import { createDatabase } from './harness.ts';
import {
  type DataFolder,
  type ExitResult,
  emailsIn,
  leftoversIn,
  noLeftovers,
  type Service,
  waitUntil,
  waitUntilPrinted,
  waitUntilReady,
} from './process.ts';
import { testSecretKey } from './secret-key.ts';
import { useDataFolders, useProcesses } from './use-processes.ts';

const commands = ['serve', 'worker', 'migrate', 'demo', 'user', 'keys', 'audit', 'reconcile', 'notices', 'retention', 'openapi'];
const password = 'a long enough password';

const { newDataFolder, fixture, demoDataFolder, loaded } = useProcesses();

describe('wrong configuration', () => {
  /** The passwords in here must not be seen again. */
  const wrongValues: Record<string, string[]> = {
    PORT: ['65536'],
    HOST: [''],
    DATA_DIR: [' '],
    DATABASE_URL: ['mysql://user:hunter2@localhost/tessera', 'hunter2'],
    PUBLIC_URL: ['tickets.example'],
    SMTP_URL: ['http://user:hunter2@localhost'],
    MAIL_FROM: ['nobody'],
    FILES_URL: ['https://key:hunter2@store.example/bucket'],
    SERVE: ['shop,everything'],
    DEMO: ['yes'],
    PAYMENTS: ['stripe'],
    PAYMENTS_SANDBOX: ['yes'],
    LOG_LEVEL: ['loud'],
    CORS_ORIGINS: ['https://shop.example/path'],
    TRUST_PROXY: ['true'],
    RATE_LIMIT: ['0'],
    LOAD_SHEDDING: ['no'],
    UNSAFE_DATABASE: ['on'],
    RETENTION_HOLD_DAYS: ['1'],
    RETENTION_MAIL_DAYS: ['never'],
    RETENTION_NOTICE_DAYS: ['7'],
    RETENTION_EXPORT_DAYS: ['0'],
    RETENTION_IDEMPOTENCY_DAYS: ['off'],
    RETENTION_AUDIT_MONTHS: ['-1'],
    SECRET_KEY: ['hunter2'],
    SECRET_KEY_FILE: ['/nowhere/at/all'],
    SECRET_KEY_OLD: ['hunter2'],
  };
  /** Any text will do. */
  const withoutWrongValue = ['METRICS_TOKEN'];

  it('has a case for every variable', () => {
    const asked = new Set<string>();
    readConfig(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }));
    expect([...asked].toSorted()).toEqual([...Object.keys(wrongValues), ...withoutWrongValue].toSorted());
  });

  const cases = Object.entries(wrongValues).flatMap(([name, values]) => values.map((value) => [name, value] as const));

  it.each(cases)('%s=%s is refused by the name of the variable, without secrets', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name}=`));
    expect(read).not.toThrow(/hunter2/);
  });

  it('ends the start with 1 and the message, and touches no data', async () => {
    const folder = newDataFolder();
    const environment = { DATABASE_URL: 'mysql://user:hunter2@localhost/tessera' };
    const { code, stdout, stderr } = await folder.run(['serve'], { environment });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^DATABASE_URL=…/);
    expect(existsSync(folder.dataDir)).toBe(false);
  });

  it('a database that does not answer is named by its address, without its password', async () => {
    const { code, stderr } = await newDataFolder().run(['migrate'], {
      environment: { DATABASE_URL: 'postgresql://user:hunter2@localhost:1/tessera', SECRET_KEY: testSecretKey },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/localhost|127\.0\.0\.1|::1/);
    expect(stderr).not.toContain('hunter2');
  });
});

describe('the command line', () => {
  it('explains every command with --help, whatever the configuration', async () => {
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

  it('ends with 2 and the list of commands for an unknown one and for none', async () => {
    const folder = newDataFolder();
    const [unknown, none] = await Promise.all([folder.run(['sevre']), folder.run([])]);
    expect(unknown?.stderr).toMatch(/^There is no command sevre\./);
    for (const { code, stderr, stdout } of [unknown, none]) {
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('Usage: tessera COMMAND');
    }
  });

  it('explains how to call a command that was called wrongly, and touches no data', async () => {
    const folder = newDataFolder();
    const calls = [
      ['migrate', '--force'],
      ['keys', 'drop'],
      ['user', 'constructor'],
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

/** A password comes as a line on standard input. */
const asLine = (text: string) => ({ input: `${text}\n` });

describe('commands while the service runs', () => {
  const newSharedDataFolder = useDataFolders(afterAll);
  let folder: DataFolder;
  let service: Service;
  let pid: number;

  beforeAll(async () => {
    folder = newSharedDataFolder({ like: fixture });
    service = await folder.serve();
    ({ pid } = folder.database());
  });

  afterEach(async () => {
    // Commands are guests in its database and leave it as it is.
    if (folder.database().pid !== pid) throw new Error('A command has ended the database of the service');
    await waitUntilReady(service);
  });

  const create = (email: string) => folder.run(['user', 'create', email, '--name', 'Some One'], asLine(password));

  it('migrate finds nothing to do', async () => {
    expect(await folder.run(['migrate'])).toEqual({ code: 0, stdout: 'The schema is up to date.\n', stderr: '' });
  });

  it('demo changes nothing where it is loaded already', async () => {
    const before = await folder.query('select count(*) from audit_log');
    expect(await folder.run(['demo'])).toEqual({ code: 0, stdout: 'The demo data is there already.\n', stderr: '' });
    expect(await folder.query('select count(*) from audit_log')).toEqual(before);
  });

  it('reconcile finds nothing that was missed', async () => {
    expect(await folder.run(['reconcile'])).toEqual({ code: 0, stdout: 'Nothing was missed.\n', stderr: '' });
  });

  it('notices list shows a notice that failed, and notices retry hands it to the worker', async () => {
    await folder.query(`insert into payment_notice (provider, notice_id, raw, reference, event, amount, received_at, due_at, attempts, status, outcome)
                       values ('sandbox', 'parked', '{}', 'NOBODYS', 'paid', 100, '2020-01-01', '2020-01-02', 34, 'failed', 'failed: broken')`);
    expect(await folder.run(['notices', 'list'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/failed .*payment NOBODYS .*broken/),
    });
    expect(await folder.run(['notices', 'retry'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 to be retried/) });
    expect(await folder.run(['notices', 'retry', '999999'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no notice 999999'),
    });
    expect(await folder.run(['notices'])).toMatchObject({ code: 1, stderr: expect.stringContaining('list or retry') });
    await folder.query(`delete from payment_notice where notice_id = 'parked'`);
  });

  it('user create, password and grant take effect at once', async () => {
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

  it('user grant gives a role of a producer and of an event, and changes it', async () => {
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

  it('user says what is wrong and changes nothing', async () => {
    const email = people.sales.email;
    const before = await folder.query('select count(*) from audit_log');
    const refused: [RegExp, Promise<ExitResult>][] = [
      [/--role is one of owner, manager/, folder.run(['user', 'grant', email, '--producer', '1', '--role', 'admin'])],
      [/There is no producer 999/, folder.run(['user', 'grant', email, '--producer', '999', '--role', 'owner'])],
      [/There is no event 999/, folder.run(['user', 'grant', email, '--event', '999', '--role', 'admin'])],
      [/There is no user nobody@test\.test/, folder.run(['user', 'password', 'nobody@test.test'], asLine(password))],
      [/10 to 200 characters/, folder.run(['user', 'password', email], asLine('too short'))],
      [/password is missing/, folder.run(['user', 'password', email])],
      [/There is a user with this e-mail/, create(email)],
    ];
    for (const [message, run] of refused) {
      const { code, stdout, stderr } = await run;
      expect(stderr).toMatch(message);
      expect([code, stdout]).toEqual([1, '']);
    }
    expect(await folder.query('select count(*) from audit_log')).toEqual(before);
    expect((await service.logIn(email)).status).toBe(200);
  });

  it('keys rotate logs nobody out and signs with a new key', async () => {
    const before = await service.logIn(people.admin.email);
    expect(await service.status('/v1/auth/me', before.token)).toBe(200);
    const oldKeys = await keysOf(service);
    expect((await folder.run(['keys', 'rotate'])).stdout).toMatch(/^Key \S+ signs from now on; \S+ still verifies\.\n$/);
    expect(await service.status('/v1/auth/me', before.token)).toBe(200);

    const after = await service.logIn(people.admin.email);
    expect(await service.status('/v1/auth/me', after.token)).toBe(200);
    expect(kidOf(after.token)).not.toBe(kidOf(before.token));
    const keys = await keysOf(service);
    expect(keys).toEqual(expect.arrayContaining([...oldKeys, kidOf(before.token), kidOf(after.token)]));
    expect(keys).toHaveLength(oldKeys.length + 1);
  });

  it('audit ends with 0 when all is well, and with 1 and the difference when a guard is switched off', async () => {
    const fine = await folder.run(['audit']);
    expect(fine).toMatchObject({ code: 0, stderr: '' });
    expect(fine.stdout).toMatch(/^No differences\.$/m);
    await folder.query('alter table audit_log disable trigger audit_log_append_only');
    const broken = await folder.run(['audit']);
    await folder.query('alter table audit_log enable trigger audit_log_append_only');
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^FAIL {2}constraints, indexes and triggers/m);
    expect(broken.stdout).toMatch(/trigger audit_log_append_only on audit_log is switched off/);
    expect(broken.stdout).toMatch(/^1 differences?\.$/m);
  });

  it('worker joins in and ends on SIGTERM with 0', async () => {
    const run = folder.start(['worker']);
    await waitUntilPrinted(run, 'working in the background');
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
    const folder = newDataFolder();
    expect((await folder.run(['migrate'])).stdout).toMatch(/^Applied 0001_\S+\.sql, .*\.\n$/);
    expect(leftoversIn(folder)).toEqual(noLeftovers);
    expect(await folder.run(['migrate'])).toEqual({ code: 0, stdout: 'The schema is up to date.\n', stderr: '' });
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('retention --dry-run prints what would go and removes nothing; without it that goes', async () => {
    const folder = demoDataFolder();
    // Nobody else removes anything.
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

  it('audit makes no database where there is none, and does not migrate one', async () => {
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

  it('demo loads data that the audit finds in order, and the second time changes nothing', async () => {
    expect(loaded()).toMatchObject({ code: 0, stderr: '' });
    expect(loaded()?.stdout).toMatch(new RegExp(`^Loaded\\. Log in with:\n    ${people.admin.email} +${demoPassword}  platform admin\n`));
    const folder = demoDataFolder();
    expect(await folder.run(['demo'])).toEqual({ code: 0, stdout: 'The demo data is there already.\n', stderr: '' });
    const { code, stdout } = await folder.run(['audit']);
    expect(stdout).toMatch(/^No differences\.$/m);
    expect(code).toBe(0);
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('user, keys and audit do their work and stop the database again', async () => {
    const folder = newDataFolder();
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
    expect(refused).toMatchObject({ code: 1, stderr: 'There is no user nobody@test.test\n' });
    expect(leftoversIn(folder)).toEqual(noLeftovers);

    const service = await folder.serve();
    expect(await emailsIn(folder)).toEqual([email]);
    const { token } = await service.logIn(email, 'another long password');
    expect(await service.status('/v1/users', token)).toBe(200);
    // The one that every database begins with, and the one that follows it.
    expect(await keysOf(service)).toHaveLength(2);
    await folder.query('alter table audit_log disable trigger audit_log_append_only');
    await service.end('SIGTERM');

    const { code, stdout } = await folder.run(['audit']);
    expect([code, /audit_log_append_only on audit_log is switched off/.test(stdout)]).toEqual([1, true]);
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  const ownerFile = ({ lockFile }: DataFolder) => `${dirname(lockFile())}.owner`;

  it('one that is told to end half-way leaves no database process behind', async () => {
    const folder = demoDataFolder();
    const run = folder.start(['audit']);
    await waitUntil('PostgreSQL is on its way up', () => folder.databaseProcesses()[0]);
    // The file exists before the server does. Otherwise a second command would end this server as a leftover.
    expect(Number.parseInt(readFileSync(ownerFile(folder), 'utf8'), 10)).toBe(run.pid);
    run.kill('SIGINT');
    await run.ended;
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('one whose database was taken while it started leaves nothing behind', async () => {
    const [folder, other] = [demoDataFolder(), demoDataFolder()];
    await other.serve();
    appendFileSync(join(dirname(folder.lockFile()), 'postgresql.conf'), 'no_such_setting = on\n');
    const run = folder.start(['audit']);
    await waitUntil('PostgreSQL is on its way up', () => folder.socketDirs()[0]);
    copyFileSync(ownerFile(other), ownerFile(folder));
    expect(await run.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('already running on this data folder') });
    expect(leftoversIn(folder)).toEqual(noLeftovers);
  });

  it('two at the same time: at least one does its work, and none says that it did what it did not', async () => {
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

  it('that could lose what it has acknowledged is refused unless UNSAFE_DATABASE=allow, and gets demo data only when asked', async () => {
    const folder = newDataFolder();
    const { url, query } = await emptyDatabase();
    expect((await folder.run(['migrate'], { environment: { DATABASE_URL: url, SECRET_KEY: testSecretKey } })).code).toBe(0);
    const { code, stderr } = await folder.run(['serve'], { environment: { DATABASE_URL: url, SECRET_KEY: testSecretKey } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database has fsync .*off.* UNSAFE_DATABASE=allow\n$/);

    const environment = { DATABASE_URL: url, SECRET_KEY: testSecretKey, UNSAFE_DATABASE: 'allow', DEMO: 'on' };
    const service = await folder.serve(environment);
    expect(await waitUntilReady(service)).toBe(true);
    expect(service.stdout()).not.toContain(demoPassword);
    expect(await query('select from app_user')).toEqual([]);

    expect((await folder.run(['demo'], { environment })).stdout).toMatch(/^Loaded\./);
    expect((await service.logIn(people.admin.email)).status).toBe(200);
    expect((await service.end('SIGTERM')).code).toBe(0);
    expect(existsSync(folder.dataDir)).toBe(false);
  });

  it('is migrated by `tessera migrate` only: every other command refuses an older or newer schema and changes nothing', async () => {
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
  });
});
