import { type RawBuilder, sql } from 'kysely';

/**
 * A condition for statements that join the keys of rows, event and id. If all keys belong to one event, the column must equal this event. A
 * distributed database then runs the whole statement on the node of the event. For several events the keys alone decide.
 */
export function inEvent(column: RawBuilder<unknown>, eventIds: readonly number[]): RawBuilder<unknown> {
  const [first, ...others] = new Set(eventIds);
  return first === undefined || others.length > 0 ? sql`true` : sql`${column} = ${first}::bigint`;
}

/** A condition for statements without a list of keys: the column is one of these events. */
export function inEvents(column: RawBuilder<unknown>, eventIds: readonly number[]): RawBuilder<unknown> {
  const [first, ...others] = new Set(eventIds);
  return first === undefined || others.length > 0 ? sql`${column} = any(${eventIds}::bigint[])` : sql`${column} = ${first}::bigint`;
}
