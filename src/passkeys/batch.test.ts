import { beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { statementsOf } from '../../test/statements.ts';
import { noon } from '../../test/world.ts';
import { createItem } from '../catalog/create-item.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Batch, Passkey } from './contract.ts';

const world = useWorld();
let items: number[];

beforeAll(async () => {
  items = await inTransaction(world.db, {}, async (tx) => {
    const make = async () => (await createItem(tx, systemAct('test', noon), { eventId: world.event, name: 'Hidden', hidden: true })).id;
    return [await make(), await make(), await make()];
  });
});

const post = (body: unknown, headers = {}, app = world.app) =>
  world.call('POST', `/event/${world.event}/passkeys`, { as: 'owner', body, headers, app });
const numbered = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
const get = async (id: number): Promise<Passkey> => (await world.call('GET', `/passkeys/${id}`, { as: 'owner' })).json<Passkey>();

async function countRows(): Promise<{ passkeys: number; links: number }> {
  const { rows } = await world.pool.query<{ passkeys: number; links: number }>(
    'select (select count(*) from passkey) as passkeys, (select count(*) from passkey_item) as links',
  );
  return rows[0] ?? { passkeys: Number.NaN, links: Number.NaN };
}

describe('POST /event/{eventId}/passkeys', () => {
  it('returns 201 with the codes in the order sent, and sets the items, period and limit of the batch for each passkey', async () => {
    const codes = ['zebra', ' Apple ', 'mango'];
    const answer = await post({ codes, itemIds: items, start: '2026-03-02', finish: '2026-03-31', limit: 2 });
    expect(answer.statusCode).toBe(201);
    const { created, data } = answer.json<Batch>();
    expect([created, data.map(({ passkey }) => passkey)]).toEqual([3, ['zebra', 'Apple', 'mango']]);
    const ids = data.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    for (const { id, passkey } of data) {
      expect(await get(id)).toMatchObject({
        passkey,
        itemIds: items,
        start: '2026-03-02 00:00:00',
        finish: '2026-03-31 23:59:59',
        limit: 2,
        used: 0,
        status: 'active',
      });
    }
    const after = { created: 3, firstId: ids[0], lastId: ids[2], itemIds: items, limit: 2 };
    expect(await auditOf(world, answer)).toMatchObject([{ operation: 'createPasskeyBatch', event: world.event, after }]);
  });

  it('returns 201 for codes without other fields, and sends the same number of statements for 500 codes as for 2', async () => {
    const count = async (codes: string[]) => (await statementsOf(() => post({ codes, itemIds: items }))).statements.length;
    expect(await count(numbered('few', 2))).toBe(await count(numbered('more', 500)));
    expect((await post({ codes: ['alone'] })).json<Batch>().created).toBe(1);
  });

  it('generates codes of 12 characters that are not easily confused', async () => {
    const answer = await post({ generate: 500, itemIds: items.slice(0, 1) });
    expect(answer.statusCode).toBe(201);
    const { created, data } = answer.json<Batch>();
    expect(created).toBe(500);
    expect(data.filter(({ passkey }) => !/^[ACDEFHJKLMNPQRTUVWXY34679]{12}$/.test(passkey))).toEqual([]);
    expect(new Set(data.map(({ passkey }) => passkey)).size).toBe(500);
    expect(await get(data[0]?.id ?? 0)).toMatchObject({ itemIds: items.slice(0, 1) });
  });

  it('links each code to each item, even when that takes several statements', async () => {
    const before = await countRows();
    expect((await post({ generate: 34_000, itemIds: items })).statusCode).toBe(201);
    const after = await countRows();
    expect([after.passkeys - before.passkeys, after.links - before.links]).toEqual([34_000, 102_000]);
  });

  it('creates 100,000 codes from a body over 1 MiB, keeps the audit entry small, and replays the response for the same Idempotency-Key', async () => {
    const codes = numbered('a-code-of-some-length', 100_000);
    const headers = { 'idempotency-key': 'a-hundred-thousand' };
    const answer = await post({ codes, limit: 1 }, headers);
    expect(answer.statusCode).toBe(201);
    const batch = answer.json<Batch>();
    expect(batch.created).toBe(100_000);
    expect(batch.data.map(({ passkey }) => passkey)).toEqual(codes);
    expect(JSON.stringify(await auditOf(world, answer)).length).toBeLessThan(1_000);
    const rows = await countRows();
    const again = await post({ codes, limit: 1 }, headers);
    expect([again.statusCode, again.headers['idempotency-replayed'], again.body === answer.body]).toEqual([201, 'true', true]);
    expect(await countRows()).toEqual(rows);
    expect(JSON.stringify({ codes }).length).toBeGreaterThan(1_048_576);
  });

  it.each([
    ['no codes', 'codes', {}],
    ['empty codes', 'codes', { codes: [] }],
    ['codes and generate', 'codes', { codes: ['abc'], generate: 1 }],
    ['a code too short', 'codes[1]', { codes: ['abc', 'ab'] }],
    ['a code that is a number', 'codes[0]', { codes: [123] }],
    ['too many codes to generate', 'generate', { generate: 100_001 }],
    ['zero codes to generate', 'generate', { generate: 0 }],
    ['an item twice', 'itemIds', { codes: ['abc'], itemIds: [1, 1] }],
    ['a limit of 0', 'limit', { codes: ['abc'], limit: 0 }],
  ])('returns 400 for %s and names %s', async (_name, field, body) => {
    const answer = await post(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json<{ errors: { field: string }[] }>().errors[0]?.field).toBe(field);
  });

  it('returns 400 for 100,001 codes', async () => {
    const answer = await post({ codes: numbered('c', 100_001) });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ field: 'codes', code: 'maxItems' }] });
  });

  it('returns 403 or 404 to callers without permission before it reads the body', async () => {
    const body = { codes: ['x'.repeat(17 * 1_048_576)] };
    for (const [as, status] of [
      ['crew_sales_operator', 403],
      ['otherOwner', 404],
      ['owner', 413],
    ] as const) {
      expect((await world.call('POST', `/event/${world.event}/passkeys`, { as, body })).statusCode).toBe(status);
    }
  });

  it('returns 409 with the number of clashing codes and the first 100 of them, and creates nothing', async () => {
    await post({ codes: numbered('Taken', 150) });
    const before = await countRows();
    const codes = ['new one', ...numbered('TAKEN', 150), 'twice', ' TWICE ', 'twice', 'new two'];
    const answer = await post({ codes, itemIds: items });
    expect([answer.statusCode, answer.json().code, answer.json().count]).toEqual([409, 'already_exists', 152]);
    expect(answer.json().clashes).toEqual(numbered('TAKEN', 100));
    const few = await post({ codes: ['new one', 'thrice', 'Thrice', 'taken-3', 'THRICE'] }, { 'idempotency-key': 'a-clash' });
    expect(few.json()).toMatchObject({ count: 3, clashes: ['Thrice', 'taken-3', 'THRICE'] });
    expect(await countRows()).toEqual(before);
    expect((await post({ codes: ['new one', 'new two'] })).statusCode).toBe(201);
  });

  it('returns 201 for the code of a deleted passkey', async () => {
    const first = (await post({ codes: ['free again'] })).json<Batch>().data[0]?.id ?? 0;
    await world.call('DELETE', `/passkeys/${first}`, { as: 'owner' });
    expect((await post({ codes: ['FREE again'] })).statusCode).toBe(201);
  });

  it('creates one of two concurrent batches with the same codes and returns 409 for the other, even in two processes', async () => {
    const apps = [world.app, await world.newApp()];
    const [up, down] = [numbered('shared', 50), numbered('SHARED', 50).toReversed()];
    const before = await countRows();
    const statuses = await runBehindLock(
      world,
      'lock table passkey in share row exclusive mode',
      [up, down].map((codes, i) => async () => (await post({ codes, itemIds: items }, {}, apps[i])).statusCode),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 409]);
    const after = await countRows();
    expect([after.passkeys - before.passkeys, after.links - before.links]).toEqual([50, 150]);
  });

  it('returns 422 for items of other events, a start before today, or a finish before start, and creates nothing', async () => {
    const before = await countRows();
    const unknown = await post({ codes: ['never'], itemIds: [items[0], world.siblingItem, world.missing] });
    expect([unknown.statusCode, unknown.json().itemIds]).toEqual([422, [world.siblingItem, world.missing]]);
    for (const [terms, field, code] of [
      [{ start: '2026-03-01' }, 'start', 'past'],
      [{ start: '2026-03-01 23:59:59' }, 'start', 'past'],
      [{ start: '2026-03-02T02:59:59Z' }, 'start', 'past'],
      [{ start: '2026-03-10', finish: '2026-03-09' }, 'finish', 'order'],
      [{ finish: '2026-02-29' }, 'finish', 'no_such_time'],
    ] as const) {
      const answer = await post({ codes: ['never'], ...terms });
      expect(answer.statusCode).toBe(422);
      expect(answer.json()).toMatchObject({ errors: [{ field, code }] });
    }
    expect(await countRows()).toEqual(before);
    expect((await post({ codes: ['at last'], start: '2026-03-02T03:00:00Z' })).statusCode).toBe(201);
  });

  it('returns 422 for more than 500,000 links of codes to items', async () => {
    const answer = await post({ generate: 100_000, itemIds: [1, 2, 3, 4, 5, 6] });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ errors: [{ field: 'itemIds', code: 'limit' }] });
  });
});
