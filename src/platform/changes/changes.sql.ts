import { sql } from 'kysely';
import { numberList, textList } from '../../postgres/array-parameters.ts';
import type { Tx } from '../../postgres/database.ts';
import type { OldRows } from '../../postgres/delete-old-rows.ts';
import { inEvents } from '../../postgres/in-event.ts';
import type { Statement } from '../../postgres/pipeline.ts';

export interface NewChangeRow {
  eventId: number;
  type: string;
  subject: string;
  part: string | null;
  at: Date;
}

/** One array per column, because one statement writes the changes of all sales or scans of a batch. */
export const insertChanges = (changes: readonly NewChangeRow[]): Statement => sql`
  insert into change (event_id, type, subject, part, at)
  select * from unnest(${numberList(changes.map(({ eventId }) => eventId))}::bigint[], ${textList(changes.map(({ type }) => type))}::text[],
                       ${textList(changes.map(({ subject }) => subject))}::text[], ${textList(changes.map(({ part }) => part))}::text[],
                       ${textList(changes.map(({ at }) => at.toISOString()))}::timestamptz[])`;

export interface ChangeRow {
  event_id: number;
  id: number;
  producer_id: number;
  type: string;
  subject: string;
  part: string | null;
  at: Date;
}

/** Returns committed changes that are not in the feed yet, oldest first. */
export async function selectUnnumbered(tx: Tx, limit: number): Promise<ChangeRow[]> {
  const { rows } = await sql<ChangeRow>`
    /* all events */ select c.event_id, c.id, e.producer_id, c.type, c.subject, c.part, c.at
      from change c join event e on e.id = c.event_id order by c.id limit ${limit}`.execute(tx);
  return rows;
}

/** The positions grow in the order of the list. */
export const insertFeedEntries = (changes: readonly ChangeRow[]): Statement => sql`
  insert into feed_entry (producer_id, event_id, type, subject, part, at)
  select producer_id, event_id, type, subject, part, at
    from unnest(${changes.map(({ producer_id }) => producer_id)}::bigint[], ${changes.map(({ event_id }) => event_id)}::bigint[],
                ${changes.map(({ type }) => type)}::text[], ${changes.map(({ subject }) => subject)}::text[],
                ${changes.map(({ part }) => part)}::text[], ${changes.map(({ at }) => at)}::timestamptz[])
         with ordinality as c (producer_id, event_id, type, subject, part, at, nth)
   order by nth`;

/** Ids are unique across events, so the two lists together select exactly these changes. */
export const deleteChanges = (changes: readonly ChangeRow[]): Statement => sql`
  delete from change where ${inEvents(
    sql`event_id`,
    changes.map(({ event_id }) => event_id),
  )} and id = any(${changes.map(({ id }) => id)}::bigint[])`;

export const entriesBefore = (before: Date): OldRows => ({ table: 'feed_entry', where: sql`at < ${before}`, age: 'at' });
