import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './database.ts';
import { runPipeline, type Step } from './pipeline.ts';

/** The rows of a table that are no longer needed. */
export interface OldRows {
  table: string;
  where: RawBuilder<unknown>;
  /** The indexed column by which the oldest rows are deleted first. Null when the order does not matter. */
  age: string | null;
  /** Set if the primary key of the table begins with `event_id`. */
  keyedByEvent?: true;
}

export async function countOldRows(tx: Tx, { table, where, keyedByEvent }: OldRows): Promise<number> {
  const scope = keyedByEvent ? sql`/* all events */` : sql``;
  const { rows } = await sql<{ n: number }>`${scope} select count(*) as n from ${sql.table(table)} where ${where}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Deletes up to `limit` rows, the oldest first. Skips rows that another transaction has locked. Returns the number of deleted rows. */
export const deleteOldRows = (tx: Tx, old: OldRows, limit: number): Promise<number> =>
  changeOldRows(tx, old, sql`delete from ${sql.table(old.table)}`, limit);

/** Like `deleteOldRows`, but erases columns of the rows and keeps the rows. */
export const eraseInOldRows = (tx: Tx, old: OldRows, columns: readonly string[], limit: number): Promise<number> =>
  changeOldRows(
    tx,
    old,
    sql`update ${sql.table(old.table)} set ${sql.join(columns.map((column) => sql`${sql.ref(column)} = null`))}`,
    limit,
  );

async function changeOldRows(tx: Tx, old: OldRows, change: RawBuilder<unknown>, limit: number): Promise<number> {
  const steps = old.keyedByEvent
    ? (await selectEventsWithOldRows(tx, old, limit)).map(({ event_id, n }) => batchOf(old, change, sql`event_id = ${event_id}`, n))
    : [batchOf(old, change, sql`true`, limit)];
  const changed = await runPipeline(tx, steps);
  return changed.reduce((sum, n) => sum + n, 0);
}

/**
 * Returns the events of the oldest `limit` rows, and how many of these rows each event has. The rows are not locked, because a statement
 * can lock only rows of one event.
 */
async function selectEventsWithOldRows(tx: Tx, { table, where, age }: OldRows, limit: number): Promise<{ event_id: number; n: number }[]> {
  const { rows } = await sql<{ event_id: number; n: number }>`
    /* all events */ select event_id, count(*) as n
      from (select event_id from ${sql.table(table)} where ${where} ${oldestFirst(age)} limit ${limit}) old group by 1 order by 1`.execute(
    tx,
  );
  return rows;
}

const oldestFirst = (age: string | null) => (age === null ? sql`` : sql`order by ${sql.ref(age)}`);

function batchOf({ table, where, age }: OldRows, change: RawBuilder<unknown>, scope: RawBuilder<unknown>, limit: number): Step<number> {
  const batch = sql`select ctid from ${sql.table(table)} where ${scope} and ${where} ${oldestFirst(age)} limit ${limit} for update skip locked`;
  return {
    statements: [sql`${change} where ${scope} and ctid = any(array(${batch})) returning 1`],
    read: ([rows = []]) => rows.length,
  };
}
