import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { testConfig } from '../../test/test-config.ts';
import { noon } from '../../test/world.ts';
import type { Retention } from '../config.ts';
import { systemAct } from '../kernel/act.ts';
import { openFiles } from '../platform/files/open-files.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Chore, choresOf } from './chores.ts';
import { previewHousekeeping, runHousekeeping } from './housekeeping.ts';

const world = useWorld();
const shop = shopOf(world);
const { retention } = testConfig();

const dayMs = 86_400_000;
const daysAfter = (at: Date, n: number): Date => new Date(at.getTime() + n * dayMs);
const longAfter = daysAfter(noon, 2_000);

const choresWith = (change: Partial<Retention> = {}): Chore[] => choresOf({ ...retention, ...change }, openFiles(world.config));
const only = (kind: RegExp, change: Partial<Retention> = {}): Chore[] => choresWith(change).filter((chore) => kind.test(chore.kind));
const failures: object[] = [];
const log = { error: (facts: object) => void failures.push(facts) };
const removeOld = (at: Date, chores = choresWith()) => runHousekeeping(world.db, systemAct('retention', at), { chores, log });
const preview = (at: Date, chores = choresWith()) => previewHousekeeping(world.db, systemAct('retention', at), chores);
const rowsOf = async <R extends object>(statement: string): Promise<R[]> => (await world.pool.query<R>(statement)).rows;

beforeEach(() => void failures.splice(0));

describe('unpaid orders', () => {
  const buyersOf = (ids: number[]) =>
    rowsOf<{ buyer_name: string | null; buyer_email: string | null; buyer_document: string | null }>(
      `select buyer_name, buyer_email, buyer_document from ticket_order where id in (${ids.join()}) order by id`,
    );
  const nobody = { buyer_name: null, buyer_email: null, buyer_document: null };
  const ana = { buyer_name: 'Ana Souza', buyer_email: 'ana@test.test', buyer_document: null };

  it('are anonymized after 30 days, and paid orders are not', async () => {
    const itemId = await shop.newItem({ attributes: { maximumPerBuyer: 50 } });
    const items = [{ itemId, quantity: 1 }];
    const [cancelled, held, paid] = [await shop.hold(items), await shop.hold(items), await shop.buy(items)];
    await shop.cancel(cancelled);
    const ids = [cancelled.id, held.id, paid.id];
    const [ended] = await rowsOf<{ at: Date }>(`select closed_at as at from ticket_order where id = ${cancelled.id}`);
    const at = ended?.at ?? noon;

    expect(await removeOld(daysAfter(at, 29), only(/holds/))).toEqual({ holds: 0 });
    expect(await buyersOf(ids)).toEqual([ana, ana, ana]);
    expect(await preview(daysAfter(at, 31))).toMatchObject({ holds: 1 });
    expect(await buyersOf(ids)).toEqual([ana, ana, ana]);
    expect(await removeOld(daysAfter(at, 31), only(/holds/))).toEqual({ holds: 1 });
    expect(await buyersOf(ids)).toEqual([nobody, ana, ana]);
    expect(await auditFindings(world.db)).toEqual([]);
  });

  it('have no row in the counts per buyer after they are anonymized', async () => {
    const itemId = await shop.newItem({ attributes: { maximumPerBuyer: 5 } });
    const order = await shop.hold([{ itemId, quantity: 2 }], { buyer: { name: 'Bea', email: 'bea@test.test', document: '123' } });
    await shop.cancel(order);
    const counts = () => rowsOf(`select taken from item_buyer where item_id = ${itemId}`);
    expect(await counts()).toEqual([{ taken: 0 }, { taken: 0 }]);
    await removeOld(longAfter, only(/holds/));
    expect(await counts()).toEqual([]);
    const [entry] = await rowsOf<{ after: object }>(`select after from audit_log where subject = 'retention' order by id desc limit 1`);
    expect(entry?.after).toEqual({ anonymized: 1 });
  });

  it('are not anonymized with RETENTION_HOLD_DAYS=off', async () => {
    const order = await shop.hold([{ itemId: await shop.newItem(), quantity: 1 }]);
    await shop.cancel(order);
    expect(await removeOld(longAfter, only(/holds/, { holdDays: null }))).toEqual({});
    expect(await buyersOf([order.id])).toEqual([ana]);
  });
});

describe('holders of imported codes', () => {
  const holders = (eventId: number) =>
    rowsOf(`select code, holder_name, holder_document from external_code where event_id = ${eventId} order by code`);
  const store = (eventId: number, itemId: number, many: number) =>
    world.pool.query(
      `insert into external_code (event_id, item_id, code, holder_name, holder_document, created_at)
       select $1, $2, 'H' || n, 'Ana Souza', '123', $3 from generate_series(1, $4::int) n`,
      [eventId, itemId, noon, many],
    );
  const finish = new Date('2026-06-01T23:00:00-03:00');

  it('are erased 400 days after the end of their event, in batches, and the codes stay', async () => {
    await store(world.siblingEvent, world.siblingItem, 3);
    await store(world.foreignEvent, world.foreignItem, 2);
    const later = `update event set finishes_at = finishes_at + interval '1 year' where id = ${world.foreignEvent}`;
    await world.pool.query(later);
    const chores = only(/codeHolders/).map((chore) => ({ ...chore, batchSize: 2 }));
    expect(await removeOld(daysAfter(finish, 399), chores)).toEqual({ codeHolders: 0 });
    expect(await preview(daysAfter(finish, 401), chores)).toEqual({ codeHolders: 3 });
    expect(await removeOld(daysAfter(finish, 401), chores)).toEqual({ codeHolders: 3 });
    const erased = ['H1', 'H2', 'H3'].map((code) => ({ code, holder_name: null, holder_document: null }));
    expect(await holders(world.siblingEvent)).toEqual(erased);
    expect(await holders(world.foreignEvent)).toMatchObject([{ holder_name: 'Ana Souza' }, { holder_document: '123' }]);
    const entries = await rowsOf(`select after from audit_log where subject = 'retention' and subject_id = 'codeHolders' order by id`);
    expect(entries).toEqual([{ after: { erased: 2 } }, { after: { erased: 1 } }]);
  });

  it('are erased 400 days after the import if the event has no sessions', async () => {
    await world.pool.query(`update event set starts_at = null, finishes_at = null where id = ${world.foreignEvent}`);
    expect(await removeOld(daysAfter(noon, 399), only(/codeHolders/))).toEqual({ codeHolders: 0 });
    expect(await removeOld(daysAfter(noon, 401), only(/codeHolders/))).toEqual({ codeHolders: 2 });
  });

  it('are kept with RETENTION_HOLDER_DAYS=off', async () => {
    await store(world.event, world.item, 1);
    expect(await removeOld(longAfter, only(/codeHolders/, { holderDays: null }))).toEqual({});
    expect(await holders(world.event)).toMatchObject([{ holder_name: 'Ana Souza' }]);
  });
});

describe('old data', () => {
  /** Inserts old rows of each kind, of several events, and a payment notice that must not be removed. */
  async function fill(many: number): Promise<void> {
    const old = `timestamptz '2020-01-01' + n * interval '1 second'`;
    await world.pool.query(`
      insert into login_failure select 'old ' || n, 1, ${old} from generate_series(1, ${many}) n;
      insert into auth_session (id, user_id, created_at, last_used_at, expires_at)
        select md5(n::text)::uuid, (select min(id) from app_user), ${old}, ${old}, ${old} from generate_series(1, ${many}) n;
      insert into one_time_token (hash, user_id, purpose, created_at, expires_at)
        select sha256(n::text::bytea), (select min(id) from app_user), 'invitation', ${old}, ${old} from generate_series(1, ${many}) n;
      insert into refresh_token (hash, session_id, issued_at)
        select sha256((n || ' ' || m)::bytea), md5(n::text)::uuid, ${old} from generate_series(1, ${many}) n, generate_series(1, 2) m;
      insert into idempotency_key select 'old', sha256(n::text::bytea), sha256('x'), 'x', ${old} from generate_series(1, ${many}) n;
      insert into mail (event_id, kind, recipient, locale, payload, dedupe_key, status, next_attempt_at, created_at, sent_at)
        select n % 3, 'export_ready', 'a@test.test', 'en', '{}', 'old/' || n, 'sent', now(), ${old}, now() from generate_series(1, ${many}) n;
      insert into payment_notice (event_id, provider, notice_id, type, raw, reference, content, received_at, due_at, status, outcome)
        select n % 3, 'sandbox', 'old ' || n, 'failed', '{}', 'gone', '{}', ${old}, ${old}, 'ignored', 'late' from generate_series(1, ${many}) n;
      insert into payment_notice (event_id, provider, notice_id, type, raw, reference, content, received_at, due_at, status, outcome)
        values (0, 'sandbox', 'set aside', 'failed', '{}', 'gone', '{}', '2020-01-01', '2020-01-01', 'set_aside', 'unknown')
        on conflict do nothing;
      insert into spent_challenge select n % 3, n::text::bytea, ${old} from generate_series(1, ${many}) n;
      insert into network_hold select n % 3, n, 1, 0, 0, ${old} from generate_series(1, ${many}) n;
      insert into export (event_id, user_id, type, format, personal, filters, locale, bom, fingerprint, status, next_attempt_at, created_at, finished_at)
        select (array(select id from event order by id))[1 + n % 2], (select min(id) from app_user), 'guestlist', 'csv', false, '{}', 'en', false, sha256('x'), 'cancelled', now(), ${old}, ${old}
          from generate_series(1, ${many}) n`);
  }

  it('is removed in batches until no old data is left, and newer data is kept', async () => {
    await removeOld(noon);
    const kept = await rowsOf(`select count(*) from auth_session union all select count(*) from mail`);
    const many = 2_500;
    await fill(many);
    const expected = {
      loginFailures: many,
      sessions: many,
      oneTimeTokens: many,
      refreshTokens: 2 * many,
      idempotencyKeys: many,
      mailContents: many,
      paymentNotices: many,
      challenges: many,
      networkHolds: many,
      exports: many,
    };
    expect(await preview(noon)).toMatchObject(expected);

    const batches: number[] = [];
    const watched = choresWith().map(
      (chore): Chore => ({
        ...chore,
        removeBatch: async (...given) => {
          const count = await chore.removeBatch(...given);
          if (['loginFailures', 'paymentNotices'].includes(chore.kind)) batches.push(count);
          return count;
        },
      }),
    );
    // The contents of mails are erased first. Mails without contents are deleted in the same round.
    expect(await removeOld(noon, watched)).toMatchObject({ ...expected, mails: many });
    expect(batches).toEqual([1_000, 1_000, 500, 1_000, 1_000, 500]);
    expect(failures).toEqual([]);
    expect(await rowsOf(`select count(*) from auth_session union all select count(*) from mail`)).toEqual(kept);
    expect(await rowsOf(`select notice_id from payment_notice`)).toEqual([{ notice_id: 'set aside' }]);
    expect(await auditFindings(world.db)).toEqual([]);
  });

  it('is removed for all other kinds if one kind cannot be removed, and the failure is logged and counted', async () => {
    await fill(3);
    await world.pool.query(`alter table idempotency_key rename to away`);
    const before = await rowsOf<{ failures: string }>(`select failures from retention_status where kind = 'idempotencyKeys'`);
    const removed = await removeOld(noon);
    await world.pool.query(`alter table away rename to idempotency_key`);
    expect(removed).toMatchObject({ idempotencyKeys: null, loginFailures: 3, exports: 3 });
    expect(failures).toEqual([{ kind: 'idempotencyKeys', err: expect.objectContaining({ code: '42P01' }) }]);
    const [status] = await rowsOf<{ failures: string; last_error: string }>(
      `select failures, last_error from retention_status where kind = 'idempotencyKeys'`,
    );
    expect(Number(status?.failures)).toBe(Number(before[0]?.failures ?? 0) + 1);
    expect(status?.last_error).toContain('does not exist');
    const metrics = await world.app.inject('/metrics');
    expect(metrics.body).toMatch(/^tessera_retention_failures\{kind="idempotencyKeys"\} 1$/m);
    expect(metrics.body).toMatch(/^tessera_retention_removed\{kind="loginFailures"\} \d{4}$/m);
    expect(await removeOld(noon)).toMatchObject({ idempotencyKeys: 3 });
  });

  it('is removed by one process at a time', async () => {
    const other = await world.pool.connect();
    await other.query('select pg_advisory_lock(7355773, 0)');
    expect(await removeOld(noon)).toBeNull();
    other.release(true);
    expect(await removeOldWhenUnlocked()).not.toBeNull();
  });

  /** Retries until the lock is free. PostgreSQL releases the lock shortly after the connection of its holder has closed. */
  async function removeOldWhenUnlocked() {
    for (let tries = 0; tries < 1_000; tries++) {
      const removed = await removeOld(noon);
      if (removed) return removed;
    }
    return null;
  }
});

describe('files of exports', () => {
  it('are removed before their rows', async () => {
    const files = openFiles(world.config);
    await files.write(
      'exports/77-1.csv',
      'text/csv',
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
    const path = join(world.config.dataDir, 'files/exports/77-1.csv');
    await world.pool.query(`
      insert into export (event_id, user_id, type, format, personal, filters, locale, bom, fingerprint, status, next_attempt_at, created_at, finished_at, file_key)
      select ${world.event}, min(id), 'guestlist', 'csv', false, '{}', 'en', false, sha256('x'), 'cancelled', '2020-01-01', '2020-01-01', '2020-01-01', 'exports/77-1.csv'
        from app_user`);
    const exports = () => rowsOf(`select file_key from export where created_at = '2020-01-01'`);

    expect(await preview(noon)).toMatchObject({ exportFiles: 1 });
    expect(await removeOld(noon, only(/^exports$/))).toEqual({ exports: 0 });
    expect(existsSync(path)).toBe(true);
    expect(await removeOld(noon)).toMatchObject({ exportFiles: 1, exports: 1 });
    expect(existsSync(path)).toBe(false);
    expect(await exports()).toEqual([]);
  });
});

describe('the audit log', () => {
  const partitions = async () =>
    (
      await rowsOf<{ name: string }>(`select relid::regclass::text as name from pg_partition_tree('audit_log') where isleaf order by 1`)
    ).map(({ name }) => name);
  const entry = (at: string) =>
    world.pool.query(
      `insert into audit_log (event_id, at, actor_kind, operation, request_id, subject, subject_id) values (0, $1, 'system', 'test', 'r', 'test', $2)`,
      [at, at],
    );
  const partitionOf = async (at: string) =>
    (
      await rowsOf<{ name: string }>(
        `select tableoid::regclass::text as name from audit_log where subject = 'test' and subject_id = '${at}'`,
      )
    )[0]?.name;

  it('has partitions for this month and the next three, and a default partition', async () => {
    await removeOld(new Date('2030-11-15T00:00:00Z'), only(/audit/, { auditMonths: null }));
    expect((await partitions()).filter((name) => /_203|_default/.test(name))).toEqual([
      'audit_log_203011',
      'audit_log_203012',
      'audit_log_203101',
      'audit_log_203102',
      'audit_log_default',
    ]);
    await entry('2031-01-31T23:59:59Z');
    expect(await partitionOf('2031-01-31T23:59:59Z')).toBe('audit_log_203101');
    await entry('2035-01-01T00:00:00Z');
    expect(await partitionOf('2035-01-01T00:00:00Z')).toBe('audit_log_default');
    // No partition is created for a month that already has entries in the default partition.
    expect(await removeOld(new Date('2034-12-31T00:00:00Z'), only(/audit/, { auditMonths: null }))).toEqual({ auditPartitionsAhead: 0 });
    expect((await partitions()).filter((name) => /_2034|_2035/.test(name))).toEqual([
      'audit_log_203412',
      'audit_log_203502',
      'audit_log_203503',
    ]);
  });

  it('has unique ids across partitions', async () => {
    const [ids] = await rowsOf<{ distinct: string; all: string }>('select count(distinct id) as distinct, count(*) as all from audit_log');
    expect(ids?.distinct).toBe(ids?.all);
  });

  it('refuses changes in every partition', async () => {
    for (const name of await partitions()) {
      for (const statement of [`update ${name} set operation = 'x'`, `delete from ${name}`, `truncate ${name}`]) {
        await expect(world.pool.query(statement), statement).rejects.toThrow('append-only');
      }
    }
    await expect(world.pool.query('truncate audit_log')).rejects.toThrow('append-only');
    expect(await auditFindings(world.db, 'constraints')).toEqual([]);
  });

  it('the audit reports a partition without its append-only trigger', async () => {
    const rolledBack = new Error('rolled back');
    let found: string[] = [];
    const trying = inTransaction(world.db, {}, async (tx) => {
      await sql`drop trigger audit_log_append_only on audit_log_203102`.execute(tx);
      const { checks } = await import('../audit/checks.ts');
      found = (await checks[0]?.find(tx)) ?? [];
      throw rolledBack;
    });
    await expect(trying).rejects.toBe(rolledBack);
    expect(found).toEqual(['audit_log_203102 can be changed: its trigger audit_log_append_only is missing']);
  });

  it('drops partitions older than RETENTION_AUDIT_MONTHS, and empties the default partition when all its entries are old', async () => {
    const chores = only(/audit/, { auditMonths: 12 });
    // In January 2032 the oldest partition that must be kept is January 2031.
    const old = (await partitions()).filter((name) => name < 'audit_log_203101').length;
    expect(old).toBeGreaterThan(2);
    expect(await preview(new Date('2032-01-15T00:00:00Z'), chores)).toEqual({ auditPartitions: old });
    expect(await removeOld(new Date('2032-01-15T00:00:00Z'), chores)).toMatchObject({ auditPartitions: old });
    expect((await partitions()).slice(0, 3)).toEqual(['audit_log_203101', 'audit_log_203102', 'audit_log_203201']);
    expect(await partitionOf('2035-01-01T00:00:00Z')).toBe('audit_log_default');

    await removeOld(new Date('2036-02-01T00:00:00Z'), chores);
    expect(await partitionOf('2035-01-01T00:00:00Z')).toBeUndefined();
    expect(failures).toEqual([]);
    expect(await partitions()).toContain('audit_log_default');
    expect(await auditFindings(world.db)).toEqual([]);
  });
});
