import type pg from 'pg';

/** The parts of PostgreSQL's catalogue that the rules of the schema are about. Partitions are left out: they follow their parent. */
export interface Catalogue {
  tables: Table[];
  columns: Column[];
  keys: Key[];
  foreignKeys: ForeignKey[];
  indexes: Index[];
  triggers: Trigger[];
  calls: Call[];
  names: ChosenName[];
}

interface Table {
  name: string;
  partitioned: boolean;
  /** Whether a partition of the table has partitions itself. */
  hasSubpartitions: boolean;
  /** Whether another table inherits from the table without being its partition. */
  inherited: boolean;
  /** Whether logical replication can find a row that was changed or deleted. */
  replicable: boolean;
  fillfactor: number;
}

interface Column {
  table: string;
  name: string;
  type: string;
  required: boolean;
  generated: boolean;
  /** Whether the value comes from a sequence, as an identity column or by a default. */
  numbered: boolean;
  default: string | null;
}

/** A primary key, a unique or exclusion constraint, or a unique index. */
interface Key {
  table: string;
  name: string;
  primary: boolean;
  /** Whether only the rows that meet a condition are unique. */
  partial: boolean;
  /** Null for an expression. */
  columns: (string | null)[];
  /** The columns that are compared with `=`. An exclusion constraint may compare others. */
  equal: string[];
}

export interface ForeignKey {
  table: string;
  name: string;
  columns: string[];
  target: string;
  targetColumns: string[];
  onDelete: string;
  onUpdate: string;
}

/** `columns` are all columns that the index depends on, including those in expressions and in the condition. */
interface Index {
  table: string;
  name: string;
  columns: string[];
}

interface Trigger {
  table: string;
  name: string;
  function: string;
}

/** A function that an index, a check constraint or a default calls, also through an operator. */
interface Call {
  table: string;
  where: 'index' | 'constraint' | 'default';
  name: string;
  function: string;
  immutable: boolean;
  /** Whether the function is built in or comes from our migrations, and not from an extension. */
  own: boolean;
}

interface ChosenName {
  table: string;
  name: string;
  kind: 'check' | 'foreign key' | 'unique' | 'exclusion' | 'index';
}

/** The tables of the schema. */
const tables = `
  select c.oid, c.relname, c.relkind, c.reloptions, c.relreplident from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;

const namesOf = (numbers: string, table: string): string => `
  array(select a.attname::text from unnest(${numbers}) with ordinality as k (attnum, position)
          left join pg_attribute a on a.attrelid = ${table} and a.attnum = k.attnum and k.attnum > 0 order by k.position)`;

const statements: { [K in keyof Catalogue]: string } = {
  tables: `
    select t.relname as name, t.relkind = 'p' as partitioned,
           exists (select from pg_partition_tree(t.oid) where level = 1 and not isleaf) as "hasSubpartitions",
           exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = t.oid and not c.relispartition) as inherited,
           t.relreplident in ('f', 'i') or exists (select from pg_index i where i.indrelid = t.oid and i.indisprimary) as replicable,
           coalesce((select option_value::int from pg_options_to_table(t.reloptions) where option_name = 'fillfactor'), 100) as fillfactor
      from (${tables}) t`,
  columns: `
    select t.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
           a.attgenerated <> '' as generated, a.attidentity <> '' or coalesce(pg_get_expr(d.adbin, d.adrelid) like 'nextval(%', false) as numbered,
           pg_get_expr(d.adbin, d.adrelid) as default
      from (${tables}) t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum`,
  keys: `
    select t.relname as "table", x.relname as name, i.indisprimary as primary, i.indpred is not null as partial, ${namesOf('i.indkey[0:i.indnkeyatts - 1]', 't.oid')} as columns,
           case when c.conexclop is null then ${namesOf('i.indkey[0:i.indnkeyatts - 1]', 't.oid')}
                else array(select a.attname::text from unnest(c.conkey, c.conexclop) as k (attnum, operator)
                             join pg_operator o on o.oid = k.operator and o.oprname = '='
                             join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum) end as equal
      from (${tables}) t join pg_index i on i.indrelid = t.oid and (i.indisunique or i.indisexclusion) join pg_class x on x.oid = i.indexrelid
      left join pg_constraint c on c.conindid = i.indexrelid and c.contype = 'x'`,
  foreignKeys: `
    select t.relname as "table", c.conname as name, ${namesOf('c.conkey', 't.oid')} as columns, c.confrelid::regclass::text as target,
           ${namesOf('c.confkey', 'c.confrelid')} as "targetColumns",
           c.confdeltype::text as "onDelete", c.confupdtype::text as "onUpdate"
      from (${tables}) t join pg_constraint c on c.conrelid = t.oid and c.contype = 'f' and c.conparentid = 0`,
  indexes: `
    select t.relname as "table", x.relname as name,
           array(select distinct a.attname::text from pg_attribute a
                  where a.attrelid = t.oid and (a.attnum = any(i.indkey) or exists (
                    select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
                       and d.refclassid = 'pg_class'::regclass and d.refobjid = t.oid and d.refobjsubid = a.attnum))) as columns
      from (${tables}) t join pg_index i on i.indrelid = t.oid join pg_class x on x.oid = i.indexrelid`,
  triggers: `
    select t.relname as "table", g.tgname as name, f.proname as function
      from (${tables}) t join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal join pg_proc f on f.oid = g.tgfoid`,
  // The stored form of an expression names each function by its number. `current_timestamp` and its relatives are no functions there.
  calls: `
    with expression as (
      select t.relname as "table", 'index' as "where", x.relname as name, e.tree
        from (${tables}) t join pg_index i on i.indrelid = t.oid join pg_class x on x.oid = i.indexrelid,
             lateral (values (i.indexprs::text), (i.indpred::text)) e (tree)
      union all
      select t.relname, 'constraint', c.conname, c.conbin::text from (${tables}) t join pg_constraint c on c.conrelid = t.oid
      union all
      select t.relname, 'default', a.attname, d.adbin::text
        from (${tables}) t join pg_attrdef d on d.adrelid = t.oid join pg_attribute a on a.attrelid = t.oid and a.attnum = d.adnum)
    select e."table", e."where", e.name, f.proname as function, f.provolatile = 'i' as immutable,
           not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = f.oid and d.deptype = 'e') as own
      from expression e, lateral (select distinct m[1]::oid as oid from regexp_matches(e.tree, ':(?:funcid|opfuncid) (\\d+)', 'g') m) called
      join pg_proc f on f.oid = called.oid
    union all
    select "table", "where", name, 'current_timestamp', false, true from expression where tree like '%{SQLVALUEFUNCTION%'`,
  names: `
    select t.relname as "table", c.conname as name,
           case c.contype when 'c' then 'check' when 'f' then 'foreign key' when 'u' then 'unique' when 'x' then 'exclusion' end as kind
      from (${tables}) t join pg_constraint c on c.conrelid = t.oid and c.contype in ('c', 'f', 'u', 'x')
    union all
    select t.relname, x.relname, 'index' from (${tables}) t join pg_index i on i.indrelid = t.oid join pg_class x on x.oid = i.indexrelid
     where not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))`,
};

export async function readCatalogue(client: pg.ClientBase): Promise<Catalogue> {
  const catalogue: Record<string, unknown[]> = {};
  for (const [part, statement] of Object.entries(statements)) catalogue[part] = (await client.query(statement)).rows;
  return catalogue as unknown as Catalogue;
}
