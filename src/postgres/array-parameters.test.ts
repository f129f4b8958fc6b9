import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { numberList, textList } from './array-parameters.ts';

const world = useWorld();

const texts = fc.array(
  fc.option(fc.oneof(fc.constantFrom('', 'null', 'NULL', '"', '\\', '{}', ',', ' ', '\n'), fc.string({ unit: 'grapheme' }))),
);

it('textList and numberList produce arrays that PostgreSQL reads with the same values', async () => {
  for (const list of fc.sample(
    texts.filter((each) => !each.some((text) => text?.includes('\0'))),
    100,
  )) {
    const { rows } = await sql<{ list: unknown }>`select ${textList(list)}::text[] as list`.execute(world.db);
    expect(rows[0]?.list).toEqual(list);
  }
  const { rows } = await sql<{ list: unknown }>`select ${numberList([1, null, -(2 ** 53) + 1])}::bigint[]::text[] as list`.execute(
    world.db,
  );
  expect(rows[0]?.list).toEqual(['1', null, '-9007199254740991']);
});
