import { sql } from 'kysely';
import type { Scope } from '../accounts/roles.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { queryPrepared } from '../postgres/pipeline.ts';

/** Tables with an index on `id` alone. */
export type LookedUpTable = 'export' | 'item' | 'passkey' | 'ticket_order';

export async function selectEventsOf(
  db: Database | Tx,
  table: LookedUpTable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await queryPrepared(
    db,
    sql<{ id: number; event_id: number }>`/* event of */ select id, event_id from ${sql.table(table)} where id = any(${ids}::bigint[])`,
  );
  return new Map(rows.map(({ id, event_id }) => [id, event_id]));
}

/** A deleted passkey has no scope, so callers get 404. */
export async function selectScopeOf(db: Database | Tx, table: LookedUpTable, id: number): Promise<Scope | undefined> {
  const notDeleted = table === 'passkey' ? sql`x.deleted_at is null` : sql`true`;
  const [scope] = await queryPrepared(
    db,
    sql<Scope>`
      /* event of */ select x.event_id as "eventId", e.producer_id as "producerId"
        from ${sql.table(table)} x join event e on e.id = x.event_id where x.id = ${id} and ${notDeleted}`,
  );
  return scope;
}
