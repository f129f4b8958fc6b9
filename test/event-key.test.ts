import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { inTransaction } from '../src/postgres/transaction.ts';
import { findMissingEventKeys, findUntiedTables } from './event-key.ts';
import { eventViews, readEventTables } from './event-tables.ts';
import { eventually } from './eventually.ts';
import { useWorld } from './harness.ts';
import { takeMissingEventKeys } from './watch-event-keys.ts';

const world = useWorld();

const tables = new Set(['ticket', 'ticket_order', 'item', 'sale']);

const untied = (table: string): string => `${table}: its event_id is not tied to an event`;

describe('accepts a statement', () => {
  it.each([
    ['that compares event_id with a parameter', 'select * from "ticket" where "ticket"."event_id" = $1 and "id" = $2'],
    ['that compares with a parameter on the left', 'select * from ticket t where $1::bigint = t.event_id'],
    ['with an unqualified event_id', 'select * from ticket t where event_id = $1'],
    ['that compares with an array', 'select * from ticket where event_id = any($1)'],
    ['that compares with a list', 'select * from ticket where event_id in ($1, $2)'],
    ['that compares with a subquery', 'select * from ticket where event_id in (select event_id from crew where user_id = $1)'],
    ['that compares rows', 'select * from ticket t where (t.event_id, t.id) = ($1, $2)'],
    ['that compares rows with a list', 'select * from ticket t where (t.event_id, t.id) in (($1, $2), ($3, $4))'],
    [
      'that compares rows with a subquery',
      'select * from ticket t where (t.event_id, t.id) in (select d.e, d.i from unnest($1, $2) as d (e, i))',
    ],
    ['that adds 0 to event_id to steer the planner', 'select * from ticket where event_id + 0 = $1'],
    [
      'that joins by event_id',
      'select * from ticket t join ticket_order o on o.event_id = t.event_id and o.id = t.order_id where o.event_id = $1',
    ],
    ['that joins with using', 'select * from ticket join ticket_order using (event_id, order_id) where event_id = $1'],
    [
      'that joins an array with using',
      'select * from unnest($1::bigint[], $2::bigint[]) as d (event_id, id) join ticket using (event_id, id)',
    ],
    [
      'that joins three tables in a chain',
      'select from ticket t, ticket_order o, item i where t.event_id = o.event_id and i.event_id = o.event_id and i.event_id = $1',
    ],
    ['with an outer join', 'select * from ticket t left join item i on i.event_id = t.event_id and i.id = t.item_id where t.event_id = $1'],
    ['that joins event', 'select * from event e join item i on i.event_id = e.id where e.id = $1'],
    ['that joins a table that is not of an event', 'select * from featured f join item i on i.event_id = f.event_id'],
    ['with a correlated subquery', 'select exists (select from ticket t where t.event_id = e.id) from event e'],
    [
      'with a lateral subquery',
      'select * from event e cross join lateral (select * from item i where i.event_id = e.id limit 1) i where e.id = $1',
    ],
    [
      'that joins the result of a lateral subquery',
      'select * from ticket t cross join lateral (select o.event_id from ticket_order o where o.event_id = t.event_id) o join item i on i.event_id = o.event_id where t.event_id = $1',
    ],
    ['with a CTE', 'with t as (select * from ticket where event_id = $1) select * from t join item i on i.event_id = t.event_id'],
    ['with a CTE that has the name of a table', 'with ticket as (select 1 as id) select * from ticket'],
    ['with a set operation', 'select id from ticket where event_id = $1 union all select id from item where event_id = $1'],
    [
      'with an OR whose branches all compare event_id',
      'select * from ticket where (event_id = $1 and id = $2) or (event_id = $1 and code = $3)',
    ],
    [
      'that inserts event_id',
      'insert into ticket (event_id, id) values ($1, $2) on conflict (event_id, id) do update set code = excluded.code',
    ],
    [
      'that inserts and ignores every conflict',
      'insert into ticket (event_id, id) select $1, id from unnest($2) as id on conflict do nothing',
    ],
    [
      'that updates from an array',
      'update ticket t set code = d.code from unnest($1, $2, $3) as d (event_id, id, code) where t.event_id = d.event_id and t.id = d.id',
    ],
    ['that deletes rows of an event', 'delete from ticket using item i where ticket.event_id = i.event_id and i.event_id = $1'],
    ['on tables without events', 'select * from app_user where id = $1'],
    ['that reads all events on purpose', 'select /* all events */ count(*) from ticket'],
    ['that looks up the event of an id', 'select event_id from ticket /* event of */ where id = $1'],
    ['that copies', 'copy ticket (event_id, id) from stdin'],
    ['that is not a query', 'create temporary table ticket_copy as select * from ticket'],
  ])('%s', (_, text) => {
    expect(findMissingEventKeys(text, tables)).toEqual([]);
  });
});

describe('control: reports a statement', () => {
  it.each([
    ['without event_id', 'select * from ticket where id = $1', [untied('ticket')]],
    [
      'that ties only one of its tables',
      'select * from ticket t join ticket_order o on o.id = t.order_id where t.event_id = $1',
      [untied('ticket_order o')],
    ],
    [
      'that ties its tables only to each other',
      'select * from ticket t join item i using (event_id) where t.id = $1',
      [untied('ticket t'), untied('item i')],
    ],
    ['that joins event without its id', 'select * from item i join event e on e.id = i.event_id where i.id = $1', [untied('item i')]],
    ['that compares another column', 'select * from ticket t where t.order_id = $1 and t.event_id = t.item_id', [untied('ticket t')]],
    ['that compares without equality', 'select * from ticket where event_id >= $1', [untied('ticket')]],
    ['that excludes an event', 'select * from ticket where event_id not in ($1) and not event_id = $2', [untied('ticket')]],
    ['with an OR that has a branch without event_id', 'select * from ticket where event_id = $1 or id = $2', [untied('ticket')]],
    ['that compares inside CASE', 'select * from ticket where case when event_id = $1 then true else false end', [untied('ticket')]],
    [
      'with an outer join whose condition does not restrict the first table',
      'select * from ticket t left join item i on i.event_id = t.event_id and t.event_id = $1',
      [untied('ticket t'), untied('item i')],
    ],
    ['with a full join', 'select * from ticket t full join item i on i.event_id = t.event_id where t.event_id = $1', [untied('item i')]],
    [
      'with a subquery without event_id',
      'select (select count(*) from ticket where item_id = i.id) from item i where i.event_id = $1',
      [untied('ticket')],
    ],
    ['with a subquery in FROM without event_id', 'select * from (select * from ticket) t where t.event_id = $1', [untied('ticket')]],
    ['with a CTE without event_id', 'with t as (select * from ticket) select * from t where t.event_id = $1', [untied('ticket')]],
    ['whose CTE reads the table of its own name', 'with ticket as (select * from ticket) select * from ticket', [untied('ticket')]],
    [
      'with a set operation that has a branch without event_id',
      'select id from ticket where event_id = $1 union all select id from item',
      [untied('item')],
    ],
    [
      'whose subquery compares event_id with itself',
      'select exists (select from ticket where ticket.event_id = event_id) from event',
      [untied('ticket')],
    ],
    [
      'that is tied by a subquery which is tied by the statement',
      'select * from item i where i.event_id in (select t.event_id from ticket t where t.event_id = i.event_id)',
      [untied('item i')],
    ],
    [
      'that is tied by a lateral subquery which is tied by the statement',
      'select * from item i, lateral (select t.event_id from ticket t where t.event_id = i.event_id) t where t.event_id = i.event_id',
      [untied('item i')],
    ],
    [
      'that uses the same table twice',
      'select * from ticket a join ticket b on b.order_id = a.order_id where a.event_id = $1',
      [untied('ticket b')],
    ],
    ['that reads a view without event_id', 'select * from sale where item_id = $1', [untied('sale')]],
    ['that updates without event_id', 'update "ticket" set "code" = $1 where "id" = $2', [untied('ticket')]],
    ['that changes event_id', 'update ticket set event_id = $1 where event_id = $2', ['update ticket: sets event_id']],
    ['that deletes without event_id', 'delete from ticket t using unnest($1) as id where t.id = id', [untied('ticket t')]],
    ['that inserts without event_id', 'insert into ticket (id) values ($1)', ['insert into ticket: the column list has no event_id']],
    ['that inserts without a column list', 'insert into ticket values ($1, $2)', ['insert into ticket: the column list has no event_id']],
    [
      'whose conflict target has no event_id',
      'insert into ticket (event_id, id) values ($1, $2) on conflict (id) do nothing',
      ['insert into ticket: the columns of on conflict have no event_id'],
    ],
    ['that inserts from a query without event_id', 'insert into ticket (event_id, id) select event_id, id from item', [untied('item')]],
    [
      'that writes in a CTE',
      'with t as (delete from ticket where event_id = $1 returning *) select * from t',
      ['ticket is written in a CTE: use a statement of its own'],
    ],
    ['that merges', 'merge into ticket using item on true when matched then do nothing', ['merge into ticket: use insert or update']],
  ])('%s', (_, text, expected) => {
    expect(findMissingEventKeys(text, tables)).toEqual(expected);
  });
});

describe('takeMissingEventKeys', () => {
  const statement = sql`select from ticket_order where id = 1`;

  it('leaves out the statements that a test sends', async () => {
    await takeMissingEventKeys();
    await statement.execute(world.db);
    await inTransaction(world.db, {}, (tx) => statement.execute(tx));
    expect(await takeMissingEventKeys()).toEqual([]);
  });

  it('control: reports the same statement if no test sends it', async () => {
    // A timer of Node calls the statement, so no function of this file is on the stack.
    setImmediate(statement.execute.bind(statement, world.db) as () => void);
    const reported = await eventually('the statement is reported', async () => {
      const missing = await takeMissingEventKeys();
      return missing.length > 0 && missing;
    });
    expect(reported).toEqual([expect.stringContaining(untied('ticket_order'))]);
  });
});

describe('views', () => {
  it('event-tables.ts lists the views that have a column event_id', async () => {
    const { rows } = await world.pool.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'event_id'
        where c.relkind in ('v', 'm') and c.relnamespace = 'public'::regnamespace order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(eventViews);
  });

  it('the tables inside each view are tied to the event_id of the view', async () => {
    const { rows } = await world.pool.query<{ name: string; query: string }>(
      `select viewname as name, definition as query from pg_views where schemaname = 'public'`,
    );
    const known = readEventTables();
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.flatMap(({ name, query }) => findUntiedTables(query, known).map((finding) => `${name}: ${finding}`))).toEqual([]);
  });

  it.each([
    ['select t.event_id, i.name from ticket t left join item i on i.event_id = t.event_id and i.id = t.item_id', []],
    ['with n as (select event_id, count(*) from ticket group by 1) select i.event_id from item i join n on n.event_id = i.event_id', []],
    ['select s.event_id from (select distinct event_id, item_id from ticket) s', []],
  ])('accepts the view %s', (query) => {
    expect(findUntiedTables(query, tables)).toEqual([]);
  });

  it.each([
    ['select t.event_id, i.name from ticket t left join item i on i.id = t.item_id', [untied('item i')]],
    ['select t.id from ticket t', [untied('ticket t')]],
    ['with n as (select event_id, item_id from ticket) select i.event_id from item i join n on n.item_id = i.id', [untied('n')]],
    ['select i.event_id from item i join (select event_id, item_id from ticket) t on t.item_id = i.id', [untied('subquery t')]],
    ['select i.event_id, (select count(*) from ticket t where t.item_id = i.id) from item i', [untied('ticket t')]],
  ])('control: reports the view %s', (query, expected) => {
    expect(findUntiedTables(query, tables)).toEqual(expected);
  });
});
