import type { Catalogue, ForeignKey } from './catalogue.ts';

const shortTypes: Record<string, string> = { 'timestamp with time zone': 'timestamptz' };

/** Draws these tables with their primary keys, and the foreign keys that begin at them, as a Mermaid diagram. */
export function drawTables(catalogue: Catalogue, tables: readonly string[]): string {
  const boxes = tables.map((table) => drawTable(catalogue, table));
  const lines = catalogue.foreignKeys
    .filter(({ table }) => tables.includes(table))
    .map((key) => drawForeignKey(catalogue, key))
    .toSorted();
  return ['erDiagram', ...boxes, ...lines].join('\n');
}

const columnsOfPrimaryKey = ({ keys }: Catalogue, table: string): string[] =>
  keys.flatMap((key) => (key.table === table && key.primary ? key.columns : [])).filter((column) => column !== null);

function drawTable(catalogue: Catalogue, table: string): string {
  const columns = columnsOfPrimaryKey(catalogue, table).map((name) => {
    const type = catalogue.columns.find((column) => column.table === table && column.name === name)?.type ?? '';
    return `    ${shortTypes[type] ?? type} ${name} PK\n`;
  });
  return columns.length === 0 ? `  ${table}` : `  ${table} {\n${columns.join('')}  }`;
}

/** `||` is exactly one, `|o` at most one, `o{` any number. The label is the name of the constraint. */
function drawForeignKey(catalogue: Catalogue, { table, name, columns, target }: ForeignKey): string {
  const isRequired = columns.every((column) =>
    catalogue.columns.some((each) => each.table === table && each.name === column && each.required),
  );
  const isUnique = catalogue.keys.some(
    (key) => key.table === table && !key.partial && key.columns.every((column) => columns.includes(column ?? '')),
  );
  return `  ${target} ${isRequired ? '||' : '|o'}--${isUnique ? 'o|' : 'o{'} ${table} : ${name}`;
}
