import { sql } from 'kysely';
import type { Statement } from '../postgres/pipeline.ts';

export const deleteEventWords = (eventId: number): Statement => sql`delete from event_word where event_id = ${eventId}`;

/** Inserts the words of the event if it is published. A word of the title gets two rows: one for the title and one for all texts. */
export const insertEventWords = (eventId: number): Statement => sql`
  insert into event_word (event_id, word, in_title, starts_at)
  select ${eventId}::bigint, t.word, t.in_title, e.starts_at
    from event e
   cross join lateral (
     select unnest(words_of(e.title)) as word, true as in_title
     union all
     select unnest(words_of(concat_ws(' ', e.title, e.subtitle, e.venue_name, e.venue_city, e.description_text))), false) t
   where e.id = ${eventId} and e.status = 'published' and e.starts_at is not null`;
