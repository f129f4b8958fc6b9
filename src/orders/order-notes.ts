import { requireEventOf } from '../events/event-of.ts';
import type { Act, User } from '../kernel/act.ts';
import { afterId, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { ruleViolation } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { OrderNote } from './history-contract.ts';
import { lockOrder } from './order-access.ts';
import { countNotes, insertNote, type NoteRow, selectNotes } from './order-notes.sql.ts';

const maxNotes = 200;

/** The audit log is kept longer than the buyer's data, so it does not contain the text. */
export async function createOrderNote(tx: Tx, act: Act<User>, orderId: number, text: string): Promise<OrderNote> {
  const { event_id: eventId } = await lockOrder(tx, orderId);
  const order = { eventId, id: orderId };
  if ((await countNotes(tx, order)) >= maxNotes) throw ruleViolation('text', 'limit', `An order can have at most ${maxNotes} notes.`);
  const { id: authorId, name } = act.actor;
  const noteId = await insertNote(tx, order, authorId, text, act.at);
  await record(tx, act, { subject: 'order', id: orderId, eventId, after: { noteId } });
  return toNote({ id: noteId, text, author_id: authorId, author_name: name, created_at: act.at });
}

export async function listOrderNotes(tx: Tx, orderId: number, query: PageQuery): Promise<Page<OrderNote>> {
  const order = { eventId: await requireEventOf(tx, 'ticket_order', orderId), id: orderId };
  const rows = await selectNotes(tx, order, afterId(query), rowsToFetch(query));
  return toPage(rows, query, (row) => [row.id], toNote, query.count ? await countNotes(tx, order) : undefined);
}

const toNote = ({ id, text, author_id, author_name, created_at }: NoteRow): OrderNote => ({
  id,
  text,
  author: { id: author_id, name: author_name },
  createdAt: created_at.toISOString(),
});
