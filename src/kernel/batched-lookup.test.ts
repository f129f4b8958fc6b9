import { describe, expect, it, test } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { type Statement, statementsOf } from '../../test/statements.ts';
import { noon } from '../../test/world.ts';
import { batchedLookup } from './batched-lookup.ts';

const world = useWorld();

/** Look-ups that end when they are told to. */
function slowly() {
  const asked: { keys: readonly number[]; answer(value: string): void; fail(error: Error): void }[] = [];
  const find = (keys: readonly number[]) =>
    new Promise<ReadonlyMap<number, string>>((resolve, reject) => {
      asked.push({ keys, answer: (value) => resolve(new Map(keys.map((key) => [key, value]))), fail: reject });
    });
  return { asked, lookUp: batchedLookup(find) };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('those who ask at the same time share one look-up', async () => {
  const { asked, lookUp } = slowly();
  const answers = [lookUp(1), lookUp(2), lookUp(1)];
  await settle();
  expect(asked.map(({ keys }) => keys)).toEqual([[1, 2]]);
  asked[0]?.answer('now');
  expect(await Promise.all(answers)).toEqual(['now', 'now', 'now']);
});

test('who asks while one is under way is answered by what is read after, and not by what was read before', async () => {
  const { asked, lookUp } = slowly();
  const first = lookUp(1);
  await settle();
  const second = lookUp(1);
  const third = lookUp(3);
  await settle();
  expect(asked).toHaveLength(1);
  asked[0]?.answer('before');
  expect(await first).toBe('before');
  await settle();
  expect(asked.map(({ keys }) => keys)).toEqual([[1], [1, 3]]);
  asked[1]?.answer('after');
  expect(await Promise.all([second, third])).toEqual(['after', 'after']);
});

test('what nobody knows is not found', async () => {
  const lookUp = batchedLookup<number, string>(async () => new Map());
  expect(await lookUp(1)).toBeUndefined();
});

test('a look-up that fails fails those who share it, and nobody after them', async () => {
  const { asked, lookUp } = slowly();
  const failing = Promise.allSettled([lookUp(1), lookUp(2)]);
  await settle();
  const later = lookUp(1);
  asked[0]?.fail(new Error('gone'));
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await settle();
  asked[1]?.answer('back');
  expect(await later).toBe('back');
});

describe('at the door of the service', () => {
  const ofSessions = (statements: readonly Statement[]) => statements.filter(({ text }) => text.includes('from auth_session'));
  const askAtOnce = (times: number) => Promise.all(Array.from({ length: times }, () => world.call('GET', '/auth/me', { as: 'owner' })));

  it('requests at the same time share what is read of their caller', async () => {
    await askAtOnce(1);
    const { result, statements } = await statementsOf(() => askAtOnce(20));
    expect(result.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(ofSessions(statements).length).toBeLessThan(10);
  });

  it('requests one after the other do not: who was disabled in between is out', async () => {
    const { statements } = await statementsOf(async () => [await askAtOnce(1), await askAtOnce(1)]);
    expect(ofSessions(statements)).toHaveLength(2);
    const disable = (at: Date | null) =>
      world.pool.query(`update app_user set disabled_at = $1 where id = (select id from app_user where email like 'owner@%')`, [at]);
    expect((await disable(noon)).rowCount).toBe(1);
    expect((await askAtOnce(5)).map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 401, 401]);
    await disable(null);
  });
});
