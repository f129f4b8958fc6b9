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
  Plans?: PlanNode[];
}

/** Reads the table `item` in a generic plan: the name of the index and its condition. */
async function readsOfItems(statement: ReturnType<typeof lockCounters>): Promise<string[]> {
  return inTransaction(world.db, {}, async (tx) => {
    for (const setting of withoutTableScans.statements) await setting.execute(tx);
    const { sql: text } = statement.compile(tx);
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>`explain (generic_plan, format json) ${sql.raw(text)}`.execute(tx);
    const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    // A node that combines several indexes names them in the nodes below it.
    const indexesOf = (node: PlanNode) => (node['Index Name'] ? [node] : nodes(node).filter((below) => below['Index Name']));
    return nodes(plan ?? {})
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
});
