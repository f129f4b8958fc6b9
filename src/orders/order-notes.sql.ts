import { sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface NoteRow {
  id: number;
  text: string;
  author_id: number;
  author_name: string;
  created_at: Date;
}

export async function insertNote(tx: Tx, { eventId, id: orderId }: RowKey, authorId: number, text: string, at: Date): Promise<number> {
  const note = { event_id: eventId, order_id: orderId, author_id: authorId, text, created_at: at };
  const { id } = await tx.insertInto('order_note').values(note).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function countNotes(tx: Tx, { eventId, id }: RowKey): Promise<number> {
  const { n } = await tx
    .selectFrom('order_note')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('event_id', '=', eventId)
    .where('order_id', '=', id)
    .executeTakeFirstOrThrow();
  return n;
}

export async function selectNotes(tx: Tx, { eventId, id }: RowKey, after: number, limit: number): Promise<NoteRow[]> {
  const { rows } = await sql<NoteRow>`
    select n.id, n.text, n.author_id, u.name as author_name, n.created_at
      from order_note n join app_user u on u.id = n.author_id
     where n.event_id = ${eventId} and n.order_id = ${id} and n.id > ${after}
     order by n.id limit ${limit}`.execute(tx);
  return rows;
}

export const deleteNotes = ({ eventId, id }: RowKey): Statement => sql`
  delete from order_note where event_id = ${eventId} and order_id = ${id}`;
