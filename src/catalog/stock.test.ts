import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { withoutTableScans } from '../postgres/pipeline.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { lockCounters, type StockToLock, selectLockedItems } from './stock.sql.ts';

const world = useWorld();

interface PlanNode {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Loops'?: number;
  Plans?: PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Reads the table `item` in a generic plan: the name of the index and its condition. */
async function readsOfItems(statement: ReturnType<typeof lockCounters>): Promise<string[]> {
  return inTransaction(world.db, {}, async (tx) => {
    for (const setting of withoutTableScans.statements) await setting.execute(tx);
    const { sql: text } = statement.compile(tx);
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>`explain (generic_plan, format json) ${sql.raw(text)}`.execute(tx);
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    // A node that combines several indexes names them in the nodes below it.
    const indexesOf = (node: PlanNode) => (node['Index Name'] ? [node] : nodesOf(node).filter((below) => below['Index Name']));
    return nodesOf(plan ?? {})
      .filter((node) => node['Relation Name'] === 'item')
      .flatMap(indexesOf)
      .map((node) => `${node['Index Name']} ${node['Index Cond']}`);
  });
}

beforeAll(async () => {
  await world.pool.query('alter table item set (autovacuum_enabled = off)');
  await world.pool.query(
    `insert into item (event_id, type, name, created_at, updated_at)
     select (array[$1::bigint, $2, $3])[n % 3 + 1], 'ticket', 'x', now(), now() from generate_series(1, 20000) n`,
    [world.event, world.siblingEvent, world.foreignEvent],
  );
});

describe('locking stock', () => {
  const own = { eventId: world.event, id: world.item };
  const sibling = { eventId: world.siblingEvent, id: world.siblingItem };
  const ofOne: StockToLock = { eventIds: [world.event], items: [own], sessions: [], itemsOfAnySession: [world.item] };
  const ofTwo: StockToLock = { ...ofOne, eventIds: [world.event, world.siblingEvent], items: [own, sibling] };

  it.each([
    ['one event', ofOne],
    ['several events', ofTwo],
  ])('finds the items of %s by their primary key, even without statistics', async (_events, stock) => {
    const reads = [...(await readsOfItems(lockCounters(stock))), ...(await readsOfItems(selectLockedItems(stock)))];
    // The waiting list looks up the items of a group by the index of groups.
    const isOfGroup = (read: string) => /^item_in_group \(\(event_id = .*\) AND \(parent_id = .*\)\)$/.test(read);
    expect([reads.length, reads.filter(isOfGroup).length]).toEqual([7, 1]);
    for (const read of reads.filter((each) => !isOfGroup(each))) expect(read).toMatch(/^item_pkey \(\(event_id = .*\) AND \(id = .*\)\)$/);
  });

  it('computes the claims of the waiting list once per event, not for each item', async () => {
    const { rows } = await world.pool.query<{ event_id: number; id: number }>(
      `select event_id, id from item where event_id = any($1) and name = 'x' order by id limit 6`,
      [ofTwo.eventIds],
    );
    const items = rows.map(({ event_id: eventId, id }) => ({ eventId, id }));
    const looks = await inTransaction(world.db, {}, async (tx) => {
      const explain = sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>`explain (analyze, format json) ${selectLockedItems({ ...ofTwo, items })}`;
      const plan = (await explain.execute(tx)).rows[0]?.['QUERY PLAN'][0].Plan;
      return nodesOf(plan ?? {}).filter((node) => node['Relation Name'] === 'waiting_line');
    });
    expect(looks.map((node) => node['Actual Loops'])).toEqual([2]);
  });
});
