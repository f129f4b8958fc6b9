import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const migrationFolder = join(root, 'migrations');

/** The release that is running. */
export const release = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;

/** The database does not have the schema that this release needs. The message names the command to run. */
export class SchemaError extends Error {}

export interface Migration {
  name: string;
  sql: string;
  hash: string;
  /** False with the header `-- no transaction`. `create index concurrently` cannot run in a transaction. */
  transactional: boolean;
  /**
   * The oldest release that can use this schema, from the header `-- oldest release: 0.2.0`. Null means that only this release and newer
   * ones can use it.
   */
  oldestRelease: string | null;
}

export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .toSorted()
    .map((name) => {
      const sql = readFileSync(join(folder, name), 'utf8');
      const header = /^(--.*\n)*/.exec(sql)?.[0] ?? '';
      return {
        name,
        sql,
        hash: createHash('sha256').update(sql).digest('hex'),
        transactional: !/^-- no transaction$/m.test(header),
        oldestRelease: /^-- oldest release: (\d+\.\d+\.\d+)$/m.exec(header)?.[1] ?? null,
      };
    });
}

interface AppliedMigration {
  name: string;
  hash: string;
  /** The release that applied the migration. Null in some databases of 0.1, which did not always record it. */
  release: string | null;
  oldestRelease: string | null;
}

type Queryable = Pick<pg.Pool, 'query'>;

/** The applied migrations. Null when the database has no schema yet. */
export async function readHistory(db: Queryable): Promise<AppliedMigration[] | null> {
  const { rows: found } = await db.query<{ known: boolean }>(`select to_regclass('schema_migration') is not null as known`);
  if (!found[0]?.known) return null;
  // The rows are read as JSON, because the table of some databases of 0.1 does not have the last two columns.
  const { rows } = await db.query<{ row: AppliedMigration & { oldest_release?: string | null } }>(
    'select to_jsonb(schema_migration) as row from schema_migration order by name',
  );
  return rows.map(({ row }) => ({
    name: row.name,
    hash: row.hash,
    release: row.release ?? null,
    oldestRelease: row.oldest_release ?? null,
  }));
}

/** The first release whose databases can be migrated. */
const firstRelease = '0.2.0';

/** The migrations that are not applied yet. Throws when the database has a migration that this release cannot work with. */
export function missingFrom(history: readonly AppliedMigration[], known: readonly Migration[]): Migration[] {
  refuseIfTooOld(history);
  const hashes = new Map(known.map(({ name, hash }) => [name, hash]));
  for (const applied of history) {
    const hash = hashes.get(applied.name);
    if (hash === undefined) refuseIfNewer(applied);
    else if (hash !== applied.hash)
      throw new SchemaError(
        `Migration ${applied.name} was applied with other content. Restore the file: applied migrations must not change.`,
      );
  }
  const names = new Set(history.map(({ name }) => name));
  return known.filter(({ name }) => !names.has(name));
}

/** Release 0.2.0 replaced the whole schema of 0.1. */
function refuseIfTooOld(history: readonly AppliedMigration[]): void {
  if (history.every(({ release: appliedBy }) => appliedBy !== null && compareReleases(appliedBy, firstRelease) >= 0)) return;
  throw new SchemaError(
    'This database was created by release 0.1. Its schema cannot be upgraded, and nothing was changed. Create an empty database and set DATABASE_URL ' +
      'to it, or set DATA_DIR to an empty folder for the embedded database. Keep the old database if you need its data: only release 0.1 can read it.',
  );
}

function refuseIfNewer({ name, release: appliedBy, oldestRelease }: AppliedMigration): void {
  if (oldestRelease !== null && compareReleases(release, oldestRelease) >= 0) return;
  throw new SchemaError(
    `This release, ${release}, is older than the database: it does not have migration ${name}. Use release ${appliedBy} or newer.`,
  );
}

function compareReleases(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  const at = [0, 1, 2].find((i) => left?.[i] !== right?.[i]);
  return at === undefined ? 0 : (left?.[at] ?? 0) - (right?.[at] ?? 0);
}

/** Throws unless the database has all migrations of this release. Changes nothing. */
export async function requireSchema(db: Queryable, folder = migrationFolder): Promise<void> {
  const history = await readHistory(db);
  if (history === null) throw new SchemaError('The database has no schema yet. Run `tessera migrate` first.');
  const missing = missingFrom(history, readMigrations(folder));
  if (missing.length === 0) return;
  throw new SchemaError(
    `The database is older than this release, ${release}: it lacks ${missing.map(({ name }) => name).join(', ')}. Run \`tessera migrate\` first.`,
  );
}
