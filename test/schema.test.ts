import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrationFolder, readMigrations } from '../src/postgres/migrations.ts';
import { createDatabase } from './harness.ts';
import { readCatalogue } from './schema/catalogue.ts';
import { controls } from './schema/controls.ts';
import { hotUpdateFindings, unlistedNumberFindings } from './schema/counters.ts';
import { drawTables } from './schema/diagram.ts';
import { uncommentedStatements } from './schema/migration-files.ts';
import { type Placement, readPlacements } from './schema/placement.ts';
import { rules, type Schema } from './schema/rules.ts';

/*
 * The rules of a schema that Citus can distribute, and our own. They are checked in PostgreSQL's catalogue, so no test needs Citus. Each control
 * is a change that breaks its rule. It is rolled back.
 */

let client: pg.Client;
let drop = async (): Promise<void> => undefined;

beforeAll(async () => {
  const database = await createDatabase();
  drop = database.drop;
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await drop();
});

const readSchema = async (more: Record<string, Placement> = {}): Promise<Schema> => ({
  ...(await readCatalogue(client)),
  placements: new Map([...readPlacements(), ...Object.entries(more)]),
});

/** Makes a change, reads the schema, and undoes the change. */
async function schemaWith(sql: string, more?: Record<string, Placement>): Promise<Schema> {
  await client.query('begin');
  try {
    await client.query(sql);
    return await readSchema(more);
  } finally {
    await client.query('rollback');
  }
}

describe('every table', () => {
  it.each(Object.entries(rules))('follows the rule %s', async (_, rule) => {
    expect(rule(await readSchema())).toEqual([]);
  });

  it.each(controls.map((each) => [each.rule, each.finding, each] as const))(
    'control: %s finds "%s"',
    async (rule, finding, { sql, places }) => {
      expect(rules[rule](await schemaWith(sql, places))).toContain(finding);
    },
  );

  it('control: every rule has a control', () => {
    expect([...new Set(controls.map(({ rule }) => rule))].toSorted()).toEqual(Object.keys(rules).toSorted());
  });

  it('control: tables that follow the rules are accepted', async () => {
    const schema = await schemaWith(
      `create table a (
         event_id bigint not null constraint a_event references event on delete cascade, id bigint generated always as identity,
         up bigint, item_id bigint, made_at timestamptz default now(),
         constraint a_pkey primary key (event_id, id),
         constraint a_up foreign key (event_id, up) references a,
         constraint a_item foreign key (event_id, item_id) references item (event_id, id),
         constraint a_apart exclude using btree (event_id with =, item_id with =));
       create unique index a_once on a (event_id, lower(id::text)) where id > 7;
       create trigger a_append_only before update on a for each statement execute function refuse_change()`,
      { a: { kind: 'distributed', column: 'event_id' } },
    );
    for (const [name, rule] of Object.entries(rules)) expect(rule(schema), name).toEqual([]);
  });
});

describe('tables with counters', () => {
  it('have room in their pages, and no index contains a counter', async () => {
    expect(hotUpdateFindings(await readSchema())).toEqual([]);
  });

  it.each([
    ['alter table item reset (fillfactor)', 'item has full pages'],
    ['create index item_sold_index on item (event_id, sold)', 'item: the index item_sold_index contains sold'],
    ['create index a on passkey ((used + held))', 'passkey: the index a contains used'],
    ['create index a on sale_period (event_id) where sold < available', 'sale_period: the index a contains sold'],
    ['create index a on ticket_log (event_id) include (last_change)', 'ticket_log: the index a contains last_change'],
  ])('control: after %s a test finds "%s"', async (sql, finding) => {
    expect(hotUpdateFindings(await schemaWith(sql))).toContain(finding);
  });

  it('are all known', async () => {
    expect(unlistedNumberFindings(await readSchema())).toEqual([]);
    expect(unlistedNumberFindings(await schemaWith('alter table item add column given_away int not null default 0'))).toEqual([
      'item.given_away is in no list',
    ]);
  });
});

describe('docs/architecture/tables.md', () => {
  const page = readFileSync(new URL('../docs/architecture/tables.md', import.meta.url), 'utf8');
  const subjects = readMigrations(migrationFolder).map(({ name, sql }) => ({
    title: name.replace(/^\d+_(\w)(\w+)\.sql$/, (_, first: string, rest: string) => first.toUpperCase() + rest.replaceAll('_', ' ')),
    tables: [...sql.matchAll(/^create table (\w+)/gm)].map(([, table = '']) => table),
  }));

  it.each(subjects.filter(({ tables }) => tables.length > 0))('shows the tables and foreign keys of $title', async ({ title, tables }) => {
    const drawing = new RegExp(`^## ${title}\n[^#]*?\`\`\`mermaid\n([^]*?)\n\`\`\``, 'm').exec(page)?.[1];
    expect(drawing).toBe(drawTables(await readSchema(), tables));
  });

  it('shows every table of the database', async () => {
    const shown = subjects.flatMap(({ tables }) => tables);
    expect((await readSchema()).tables.map(({ name }) => name).toSorted()).toEqual([...shown, 'schema_migration'].toSorted());
  });

  it('control: a new foreign key changes the drawing', async () => {
    const change = 'alter table featured add column category_id bigint constraint featured_category references category';
    expect(drawTables(await schemaWith(change), ['featured'])).toContain('  category |o--o{ featured : featured_category');
  });
});

describe('migrations', () => {
  it.each(readMigrations(migrationFolder).map(({ name }) => name))('%s explains each table and index', (name) => {
    expect(uncommentedStatements(readFileSync(join(migrationFolder, name), 'utf8'))).toEqual([]);
  });

  it('control: a table, an index and a separate index without a comment are found', () => {
    const text = `create table a (n int);\n\n-- Why.\ncreate table b (n int);\ncreate index b_n on b (n);
-- Two indexes for one reason.\ncreate index b_m on b (n);\ncreate unique index b_o on b (n)\n  where n > 1;\ncreate index b_p on b (n);\n
create index b_q on b (n);\n`;
    expect(uncommentedStatements(text)).toEqual(['create table a (n int);', 'create index b_n on b (n);', 'create index b_q on b (n);']);
  });
});
