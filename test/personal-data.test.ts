import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../client/build/contracts.ts';
import { eraseUser } from '../src/accounts/erase-user.ts';
import { findUser } from '../src/accounts/user.ts';
import { user as userCommand } from '../src/cli/user.ts';
import { eraseCrewInvitations } from '../src/events/crew.ts';
import { systemAct } from '../src/kernel/act.ts';
import { openFiles } from '../src/platform/files/open-files.ts';
import { inTransaction } from '../src/postgres/transaction.ts';
import { choresOf } from '../src/worker/chores.ts';
import { useWorld } from './harness.ts';
import { canary, columnsWithCanary, columnsWithValue, filesWithCanary, readMarks } from './personal-data/marked-columns.ts';
import { runJobs, type Typed, typeCanaries } from './personal-data/type-canaries.ts';
import { noon } from './world.ts';

/*
 * Columns with personal data are marked in the database: `Personal data. Ends with: RULE, RULE`. These tests let people type recognizable
 * values, search every column for them, end everything, and search again.
 */

const world = useWorld();
const daysAfterNoon = (days: number): Date => new Date(noon.getTime() + days * 86_400_000);

/** Columns whose values do not contain what people type: hashes, encrypted responses, addresses of networks, links to orders and files. */
const withoutPlainText = [
  'idempotency_key.answer',
  'item_buyer.buyer',
  'known_network.hash',
  'login_failure.subject',
  'mail.payload',
  'mail_count.scope',
  'network_hold.network',
  'ticket_order.network',
];

async function inRolledBack<T>(statement: string, work: (client: Parameters<typeof readMarks>[0]) => Promise<T>): Promise<T> {
  const client = await world.pool.connect();
  try {
    await client.query(`begin; ${statement}`);
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('the rules that end personal data', () => {
  /** Names that a mark may contain: kinds of chores, operations, commands, and the end of a hold or a payment. */
  function knownRules(): Set<string> {
    const chores = choresOf(world.config.retention, openFiles(world.config)).map(({ kind }) => kind);
    const commands = [...userCommand.usage.matchAll(/^tessera (user \w+)/gm)].map(([, name = '']) => name);
    return new Set([...chores, ...Object.keys(contracts), ...commands, 'the status held', 'the status begun or pending']);
  }
  const unknownRules = async (db: Parameters<typeof readMarks>[0]) =>
    [...(await readMarks(db))].flatMap(([column, rules]) =>
      rules.length === 0 ? [`${column}: no rule`] : rules.filter((rule) => !knownRules().has(rule)).map((rule) => `${column}: ${rule}`),
    );

  it('all exist', async () => {
    expect((await readMarks(world.pool)).size).toBeGreaterThan(20);
    expect(await unknownRules(world.pool)).toEqual([]);
  });

  it('control: a rule that does not exist is found, and so is a mark without rules', async () => {
    const marks = `comment on column category.name is 'Personal data. Ends with: holds, forgetMe'; comment on column category.slug is 'Personal data'`;
    expect(await inRolledBack(marks, unknownRules)).toEqual(['category.name: forgetMe', 'category.slug: no rule']);
  });
});

describe('personal data', () => {
  let typed: Typed;
  beforeAll(async () => {
    // A column that is marked, but that no rule ends.
    await world.pool.query(`
      alter table category add column kept text;
      comment on column category.kept is 'Personal data. Ends with: holds';
      update category set kept = '${canary}'`);
    typed = await typeCanaries(world);
  });

  it('is only in marked columns', async () => {
    const marks = await readMarks(world.pool);
    expect((await columnsWithCanary(world.pool)).filter((column) => !marks.has(column))).toEqual([]);
  });

  it('is in every marked column', async () => {
    const found = new Set([...(await columnsWithCanary(world.pool)), ...(await columnsWithValue(world.pool, withoutPlainText))]);
    expect([...(await readMarks(world.pool)).keys()].filter((column) => !found.has(column))).toEqual([]);
    expect(filesWithCanary(world.config.dataDir)).not.toEqual([]);
  });

  it('control: a canary in a column without a mark is found', async () => {
    const found = await inRolledBack(`update category set name = 'Zqcanary'`, columnsWithCanary);
    expect(found).toContain('category.name');
    expect((await readMarks(world.pool)).has('category.name')).toBe(false);
  });

  it('is gone after orders are anonymized, users are erased and old data is removed', async () => {
    for (const id of typed.paidOrders)
      expect((await world.call('POST', `/orders/${id}/anonymize`, { as: 'admin', body: {} })).statusCode).toBe(200);
    await eraseUsers(typed.userEmails);
    // The first round ends open holds, the second erases their buyers. Both add entries to the audit log, and the last round drops those.
    for (const days of [1_000, 3_000, 5_000]) {
      world.now = daysAfterNoon(days);
      await runJobs(world);
    }
    expect((await columnsWithCanary(world.pool)).filter((column) => column !== 'category.kept')).toEqual([]);
    expect(await columnsWithValue(world.pool, withoutPlainText)).toEqual([]);
    expect(filesWithCanary(world.config.dataDir)).toEqual([]);
  });

  it('control: a marked column that nothing erases is found', async () => {
    expect(await columnsWithCanary(world.pool)).toContain('category.kept');
  });

  /** Does what the command `tessera user erase` does. */
  async function eraseUsers(emails: readonly string[]): Promise<void> {
    for (const email of emails) {
      await inTransaction(world.db, {}, async (tx) => {
        const { id } = (await findUser(tx, email)) ?? { id: 0 };
        await eraseUser(tx, systemAct('user erase', world.now), id);
        await eraseCrewInvitations(tx, id);
      });
    }
  }
});
