import { describe, expect, it, test } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { statementsOf } from '../../test/statements.ts';
import type { Statement } from '../../test/watch-statements.ts';
import { noon } from '../../test/world.ts';
import { batchedLookup } from './batched-lookup.ts';

const world = useWorld();

/** A batched lookup whose queries end when the test resolves or rejects them. */
function controlledLookup() {
  const queries: { keys: readonly number[]; resolve(value: string): void; reject(error: Error): void }[] = [];
  const find = (keys: readonly number[]) =>
    new Promise<ReadonlyMap<number, string>>((resolve, reject) => {
      queries.push({ keys, resolve: (value) => resolve(new Map(keys.map((key) => [key, value]))), reject });
    });
  return { queries, lookUp: batchedLookup(find) };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('concurrent lookups share one query', async () => {
  const { queries, lookUp } = controlledLookup();
  const results = [lookUp(1), lookUp(2), lookUp(1)];
  await settle();
  expect(queries.map(({ keys }) => keys)).toEqual([[1, 2]]);
  queries[0]?.resolve('now');
  expect(await Promise.all(results)).toEqual(['now', 'now', 'now']);
});

test('a lookup that starts while a query runs gets the result of the next query', async () => {
  const { queries, lookUp } = controlledLookup();
  const first = lookUp(1);
  await settle();
  const second = lookUp(1);
  const third = lookUp(3);
  await settle();
  expect(queries).toHaveLength(1);
  queries[0]?.resolve('before');
  expect(await first).toBe('before');
  await settle();
  expect(queries.map(({ keys }) => keys)).toEqual([[1], [1, 3]]);
  queries[1]?.resolve('after');
  expect(await Promise.all([second, third])).toEqual(['after', 'after']);
});

test('a key that the query does not find returns undefined', async () => {
  const lookUp = batchedLookup<number, string>(async () => new Map());
  expect(await lookUp(1)).toBeUndefined();
});

test('a failed query rejects the lookups that share it, but not later lookups', async () => {
  const { queries, lookUp } = controlledLookup();
  const failing = Promise.allSettled([lookUp(1), lookUp(2)]);
  await settle();
  const later = lookUp(1);
  queries[0]?.reject(new Error('gone'));
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await settle();
  queries[1]?.resolve('back');
  expect(await later).toBe('back');
});

describe('the lookup of the caller, over HTTP', () => {
  const sessionQueries = (statements: readonly Statement[]) => statements.filter(({ text }) => text.includes('from auth_session'));
  const sendConcurrently = (times: number) =>
    Promise.all(Array.from({ length: times }, () => world.call('GET', '/auth/me', { as: 'owner' })));

  it('20 concurrent requests run fewer than 10 session queries', async () => {
    await sendConcurrently(1);
    const { result, statements } = await statementsOf(() => sendConcurrently(20));
    expect(result.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(sessionQueries(statements).length).toBeLessThan(10);
  });

  it('each later request queries again, so a disabled user gets 401 at once', async () => {
    const { statements } = await statementsOf(async () => [await sendConcurrently(1), await sendConcurrently(1)]);
    expect(sessionQueries(statements)).toHaveLength(2);
    const disable = (at: Date | null) =>
      world.pool.query(`update app_user set disabled_at = $1 where id = (select id from app_user where email like 'owner@%')`, [at]);
    expect((await disable(noon)).rowCount).toBe(1);
    expect((await sendConcurrently(5)).map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 401, 401]);
    await disable(null);
  });
});
