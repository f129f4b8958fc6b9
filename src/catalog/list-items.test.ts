import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { buffersOf, statementsOf } from '../../test/statements.ts';
import { noon } from '../../test/world.ts';
import type { Item } from './item-schemas.ts';
import { combineStatuses, remaining, saleStatus } from './sale-status.ts';

const world = useWorld();
const many = 5_000;

interface ItemPage {
  data: Item[];
  nextCursor: string | null;
  total?: number;
}

beforeAll(async () => {
  await world.pool.query(
    `with made as (
       insert into item (event_id, type, name, position, quantity, created_at, updated_at)
       select $1, 'ticket', 'Item ' || n, n % 50, n, $2, $2 from generate_series(1, $3) n returning event_id, id)
     , priced as (insert into item_values select event_id, id, 1000, 100, 0 from made)
     , noted as (insert into item_attribute select event_id, id, 'maximum', 'integer', '4' from made)
     insert into sale_period select event_id, id, 1, $2, $2::timestamptz + interval '1 day', 10 from made`,
    [world.siblingEvent, noon, many],
  );
  await world.pool.query('vacuum analyze item, item_values, item_attribute, sale_period, item_session');
});

const page = (cursor: string | null, pageSize: number) =>
  world.call('GET', `/items?eventId=${world.siblingEvent}&pageSize=${pageSize}${cursor ? `&cursor=${cursor}` : ''}`, { as: 'owner' });

describe('GET /items of an event with 5000 items', () => {
  it('returns every item once, in order, over all pages', async () => {
    const seen: Item[] = [];
    for (let cursor: string | null = null; ; ) {
      const next: ItemPage = (await page(cursor, 200)).json();
      seen.push(...next.data);
      cursor = next.nextCursor;
      if (cursor === null) break;
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(many + 1);
    expect(seen).toHaveLength(many + 1);
    const keys = seen.map(({ position, id }) => position * 1e9 + id);
    expect(keys).toEqual(keys.toSorted((a, b) => a - b));
  });

  it('runs the same number of statements for one item as for 200', async () => {
    const count = async (size: number) => (await statementsOf(() => page(null, size))).statements.length;
    // Three queries: the caller, the permission, and the items with all their parts.
    expect([await count(1), await count(200)]).toEqual([3, 3]);
  });

  it('reads no more rows for the last page than for the first', async () => {
    const pagesOf = async (cursor: string | null) => {
      const { statements } = await statementsOf(() => page(cursor, 50));
      const list = statements.find(({ text }) => text.includes('from item i'));
      return list ? buffersOf(world.pool, list) : Number.NaN;
    };
    let cursor: string | null = null;
    for (let i = 0; i < 24; i++) cursor = (await page(cursor, 200)).json<ItemPage>().nextCursor;
    const [first, last] = [await pagesOf(null), await pagesOf(cursor)];
    expect(last / first).toBeLessThan(1.5);
  });
});

describe('the status in listings', () => {
  const offset = fc.constantFrom(-3600, -1, 0, 1, 3600);
  const stock = fc.record({
    limit: fc.option(fc.integer({ min: 5, max: 8 })),
    sold: fc.integer({ min: 0, max: 3 }),
    held: fc.integer({ min: 0, max: 2 }),
  });
  const cases = fc.record({
    event: fc.record({ status: fc.constantFrom('draft', 'published', 'private', 'cancelled'), saleEnabled: fc.boolean() }),
    group: fc.record({ archived: fc.boolean(), salable: fc.boolean(), stock }),
    item: fc.record({ archived: fc.boolean(), salable: fc.boolean(), stock, type: fc.constantFrom('ticket', 'passport') }),
    priced: fc.boolean(),
    period: fc.option(fc.record({ start: offset, length: fc.integer({ min: 1, max: 7200 }), available: fc.constantFrom(0, 5, 6, 9) })),
    sessions: fc.array(
      fc.tuple(stock, fc.constantFrom(-1, 0, 1)).map(([limits, finish]) => ({ ...limits, finish })),
      { maxLength: 2 },
    ),
  });

  /** Writes a case directly into the tables, because some cases cannot be produced by sales. */
  async function arrange(c: typeof cases extends fc.Arbitrary<infer T> ? T : never) {
    const run = async (text: string, values: unknown[]) => (await world.pool.query<{ id: number }>(text, values)).rows[0]?.id ?? 0;
    await run('update event set status = $2, sale_enabled = $3 where id = $1', [world.foreignEvent, c.event.status, c.event.saleEnabled]);
    const insert = `insert into item (event_id, type, name, parent_id, quantity, sold, held, archived, salable, created_at, updated_at)
                    values ($1, $2, 'x', $3, $4, $5, $6, $7, $8, $9, $9) returning id`;
    const put = (type: string, parent: number | null, { stock: s, archived, salable }: typeof c.group) =>
      run(insert, [world.foreignEvent, type, parent, s.limit, s.sold, s.held, archived, salable, noon]);
    const group = await put('group', null, c.group);
    const item = await put(c.item.type, group, c.item);
    if (c.priced) await run('insert into item_values values ($1, $2, 100, 0, 0)', [world.foreignEvent, item]);
    const at = (seconds: number) => new Date(noon.getTime() + seconds * 1000);
    if (c.period)
      await run('insert into sale_period values ($1, $2, 1, $3, $4, $5)', [
        world.foreignEvent,
        item,
        at(c.period.start),
        at(c.period.start + c.period.length),
        c.period.available,
      ]);
    for (const { limit, sold, held, finish } of c.sessions) {
      const session = await run(
        `insert into event_session (event_id, name, starts_at, finishes_at, capacity, sold, held) values ($1, 's', $2, $3, $4, $5, $6) returning id`,
        [world.foreignEvent, at(-60), at(finish), limit, sold, held],
      );
      await run('insert into item_session values ($1, $2, $3)', [world.foreignEvent, item, session]);
    }
    return { group, item, at };
  }

  it('equals saleStatus() for every combination', async () => {
    const property = fc.asyncProperty(cases, async (c) => {
      const { group, item, at } = await arrange(c);
      const period = c.period && { start: at(c.period.start), finish: at(c.period.start + c.period.length), available: c.period.available };
      const limits = [c.item.stock, c.group.stock, ...(period ? [{ limit: period.available, sold: 0, held: 0 }] : [])];
      const needsAll = c.item.type === 'passport';
      const ahead = c.sessions.filter(({ finish }) => finish > 0);
      const left = remaining(limits, needsAll || ahead.length === 0 ? c.sessions : ahead, needsAll);
      const expected = saleStatus(
        {
          eventOnSale: ['published', 'private'].includes(c.event.status) && c.event.saleEnabled,
          archived: c.item.archived,
          salable: c.item.salable,
          groupClosed: c.group.archived || !c.group.salable,
          hasValues: c.priced,
          over: c.sessions.length > 0 && c.sessions.every(({ finish }) => finish <= 0),
          period,
          remaining: left,
        },
        noon,
      );
      const listed = (
        await world.call('GET', `/items?eventId=${world.foreignEvent}&archived=all&pageSize=200`, { as: 'otherOwner' })
      ).json<ItemPage>().data;
      expect(listed.find(({ id }) => id === item)).toMatchObject({ status: expected, remaining: left });
      expect(listed.find(({ id }) => id === group)?.status).toBe(combineStatuses(c.item.archived ? [] : [expected]));
      await world.pool.query('delete from item_session where item_id = $1', [item]);
      await world.pool.query(`delete from event_session where event_id = $1 and name = 's'`, [world.foreignEvent]);
      await world.pool.query('delete from sale_period where item_id = $1', [item]);
      await world.pool.query('delete from item_values where item_id = $1', [item]);
      await world.pool.query('delete from item where id = any($1)', [[item, group]]);
    });
    await fc.assert(property, { numRuns: 150 });
  });
});
