import type { Catalogue, ForeignKey } from './catalogue.ts';
import type { Placement } from './placement.ts';

/** The tables of the schema, and where their rows are. The order is the order in which Citus distributes them. */
export interface Schema extends Catalogue {
  placements: Map<string, Placement>;
}

/** Returns a sentence for each part of the schema that breaks the rule. */
type Rule = (schema: Schema) => string[];

const kindOf = ({ placements }: Schema, table: string): Placement['kind'] | undefined => placements.get(table)?.kind;

/** The column that decides on which node a row is. Undefined for tables that are not distributed. */
function columnOf({ placements }: Schema, table: string): string | undefined {
  const placement = placements.get(table);
  return placement?.kind === 'distributed' ? placement.column : undefined;
}

const everyTableHasAPlace: Rule = ({ tables, placements }) => [
  ...tables.filter(({ name }) => !placements.has(name)).map(({ name }) => `${name} is not in deploy/citus.sql`),
  ...[...placements.keys()]
    .filter((name) => !tables.some((table) => table.name === name))
    .map((name) => `${name} is in deploy/citus.sql but not in the schema`),
];

const keysContainTheDistributionColumn: Rule = (schema) =>
  schema.keys.flatMap(({ table, name, columns, equal }) => {
    const column = columnOf(schema, table);
    if (column === undefined) return [];
    if (!equal.includes(column)) return [`${table}: ${name} does not contain ${column}`];
    return column === 'event_id' && columns[0] !== column ? [`${table}: ${name} does not begin with event_id`] : [];
  });

const foreignKeysStayOnOneNode: Rule = (schema) => schema.foreignKeys.flatMap((key) => reachFindings(schema, key));

function reachFindings(schema: Schema, key: ForeignKey): string[] {
  const where = `${key.table}: ${key.name}`;
  const [from, to] = [kindOf(schema, key.table), kindOf(schema, key.target)];
  if (from === 'distributed' && to === 'distributed') return pairFindings(schema, key, where);
  if (to === 'distributed') return [`${where} leads from a ${from} table to a distributed one`];
  if (from !== 'local' && to === 'local') return [`${where} leads from a ${from} table to a local one`];
  return [];
}

function pairFindings(schema: Schema, { table, target, columns, targetColumns }: ForeignKey, where: string): string[] {
  const at = columns.indexOf(columnOf(schema, table) ?? '');
  if (at < 0 || targetColumns[at] !== columnOf(schema, target)) return [`${where} does not pair the distribution columns`];
  return at === 0 ? [] : [`${where} does not begin with ${columns[at]}`];
}

const actions: Record<string, string> = { c: 'cascade', n: 'set null', d: 'set default' };

/** Citus also refuses `on delete set null (column)` if the key contains the distribution column, whichever column it names. */
const foreignKeysNeverMoveARow: Rule = (schema) =>
  schema.foreignKeys.flatMap(({ table, name, columns, onDelete, onUpdate }) => {
    const column = columnOf(schema, table);
    if (column === undefined || !columns.includes(column)) return [];
    const findings: string[] = [];
    if (['n', 'd'].includes(onDelete)) findings.push(`${table}: ${name} contains ${column} and has on delete ${actions[onDelete]}`);
    if (['c', 'n', 'd'].includes(onUpdate)) findings.push(`${table}: ${name} contains ${column} and has on update ${actions[onUpdate]}`);
    return findings;
  });

const triggersOnlyRefuse: Rule = (schema) =>
  schema.triggers.flatMap((trigger) => {
    const kind = kindOf(schema, trigger.table);
    if (kind === 'reference') return [`${trigger.table}: ${trigger.name} is a trigger on a reference table`];
    return trigger.function === 'refuse_change' ? [] : [`${trigger.table}: ${trigger.name} calls ${trigger.function}`];
  });

const distributionColumnsAreGiven: Rule = (schema) =>
  schema.tables.flatMap(({ name: table }) => {
    const name = columnOf(schema, table);
    if (name === undefined) return [];
    const column = schema.columns.find((each) => each.table === table && each.name === name);
    if (!column) return [`${table} has no column ${name}`];
    const findings: string[] = [];
    if (!column.required) findings.push(`${table}.${name} may be null`);
    if (column.generated || column.numbered) findings.push(`${table}.${name} is generated`);
    if (name === 'event_id' && column.type !== 'bigint') findings.push(`${table}.${name} is ${column.type}, not bigint`);
    return findings;
  });

/** Each node numbers its rows from a range of its own. The ranges fit only into a bigint. */
const sequencesAreBigint: Rule = ({ columns }) =>
  columns
    .filter(({ numbered, type }) => numbered && type !== 'bigint')
    .map(({ table, name, type }) => `${table}.${name} is numbered and ${type}, not bigint`);

const partitionsHaveOneLevel: Rule = ({ tables }) =>
  tables.flatMap(({ name, hasSubpartitions, inherited }) => [
    ...(hasSubpartitions ? [`${name} has partitions of partitions`] : []),
    ...(inherited ? [`${name} is inherited`] : []),
  ]);

/** Citus moves shards to another node by logical replication. An upgrade of PostgreSQL without a pause uses it too. */
const rowsCanBeReplicated: Rule = ({ tables }) =>
  tables.filter(({ replicable }) => !replicable).map(({ name }) => `${name} has no primary key and no replica identity`);

const functionsAreKnownAndImmutable: Rule = ({ calls }) =>
  calls.flatMap(({ table, where, name, function: called, immutable, own }) => {
    if (!own) return [`${table}: the ${where} ${name} calls ${called} of an extension`];
    return immutable || where === 'default' ? [] : [`${table}: the ${where} ${name} calls ${called}, which is not immutable`];
  });

/** A foreign key from a table to itself is no circle. */
const foreignKeysFormNoCircle: Rule = ({ tables, foreignKeys }) => {
  const targetsOf = (table: string) => foreignKeys.filter((key) => key.table === table && key.target !== table).map(({ target }) => target);
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    targetsOf(from).some((target) => target === to || (!seen.has(target) && reaches(target, to, seen.add(target))));
  return tables.filter(({ name }) => reaches(name, name)).map(({ name }) => `${name} refers to itself through other tables`);
};

const targetsAreDistributedFirst: Rule = (schema) => {
  const order = [...schema.placements].filter(([, { kind }]) => kind !== 'local').map(([table]) => table);
  return schema.foreignKeys
    .filter(({ table, target }) => order.includes(table) && order.indexOf(target) > order.indexOf(table))
    .map(({ table, name, target }) => `${table}: ${name} refers to ${target}, which is distributed later`);
};

const generated: Record<string, RegExp> = {
  check: /_check\d*$/,
  'foreign key': /_fkey\d*$/,
  unique: /_key\d*$/,
  exclusion: /_excl\d*$/,
  index: /_idx\d*$/,
};

/** Errors show the name of the violated constraint, and the service matches on it. */
const namesAreChosen: Rule = ({ names }) =>
  names
    .filter(({ name, kind }) => generated[kind]?.test(name))
    .map(({ table, name, kind }) => `${table}: the ${kind} ${name} has a generated name`);

export const rules = {
  everyTableHasAPlace,
  keysContainTheDistributionColumn,
  foreignKeysStayOnOneNode,
  foreignKeysNeverMoveARow,
  triggersOnlyRefuse,
  distributionColumnsAreGiven,
  sequencesAreBigint,
  partitionsHaveOneLevel,
  rowsCanBeReplicated,
  functionsAreKnownAndImmutable,
  foreignKeysFormNoCircle,
  targetsAreDistributedFirst,
  namesAreChosen,
} satisfies Record<string, Rule>;
