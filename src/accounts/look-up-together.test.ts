import { expect, test } from 'vitest';
import { lookUpTogether } from './look-up-together.ts';

/** Look-ups that end when they are told to. */
function slowly() {
  const asked: { keys: readonly number[]; answer(value: string): void; fail(error: Error): void }[] = [];
  const find = (keys: readonly number[]) =>
    new Promise<ReadonlyMap<number, string>>((resolve, reject) => {
      asked.push({ keys, answer: (value) => resolve(new Map(keys.map((key) => [key, value]))), fail: reject });
    });
  return { asked, lookUp: lookUpTogether(find) };
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
  const lookUp = lookUpTogether<number, string>(async () => new Map());
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
