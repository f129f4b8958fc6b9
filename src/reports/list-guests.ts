import { boxOffice } from '../catalog/item.ts';
import type { Act } from '../kernel/act.ts';
import { decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { Problem } from '../kernel/problem.ts';
import type { Page } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import { selectReportedEvent } from './bordero.sql.ts';
import type { Guest, GuestQuery } from './contract.ts';
import { requireSession } from './entry-report.ts';
import { maySeePersonalData } from './guest-privacy.ts';
import { countCodeGuests, countTicketGuests, type GuestFilter, type GuestRow, selectCodeGuests, selectTicketGuests } from './guests.sql.ts';

/** The sort key of the list. First come all tickets by id, then the imported codes of tickets sold elsewhere, by item and id. */
type GuestKey = readonly [kind: number, itemOrTicket: number, code: number];
const ticketKind = 0;
const codeKind = 1;

const keyOf = (row: GuestRow): GuestKey =>
  row.ticket_id === null ? [codeKind, row.item_id, row.code_id ?? 0] : [ticketKind, row.ticket_id, 0];

export async function listGuests(tx: Tx, { actor }: Act, eventId: number, query: GuestQuery): Promise<Page<Guest>> {
  const event = await selectReportedEvent(tx, eventId);
  if (!event) throw new Problem('not_found');
  if (query.sessionId !== undefined) await requireSession(tx, eventId, query.sessionId);
  const personal = maySeePersonalData(actor, { producerId: event.producer_id, eventId });
  const { status, itemId, sessionId, channel } = query;
  const filter: GuestFilter = { eventId, status, itemId, sessionId, channel, term: query.term?.trim() || undefined, personal };
  const after = query.cursor === undefined ? ([ticketKind, 0, 0] as const) : decodeCursor(query.cursor, ['number', 'number', 'number']);
  const rows = await selectGuests(tx, filter, after, rowsToFetch(query));
  const total = query.count ? await countGuests(tx, filter) : undefined;
  return toPage(rows, query, keyOf, (row) => toGuest(row, personal), total);
}

/** Imported codes belong to tickets that were sold elsewhere. These tickets belong to the channel `offline`. */
const includesCodes = ({ channel }: GuestFilter): boolean => channel !== 'online';

async function selectGuests(tx: Tx, filter: GuestFilter, [kind, first, second]: GuestKey, limit: number): Promise<GuestRow[]> {
  const tickets = kind === ticketKind ? await selectTicketGuests(tx, filter, first, limit) : [];
  if (tickets.length === limit || !includesCodes(filter)) return tickets;
  const after = kind === ticketKind ? ([0, 0] as const) : ([first, second] as const);
  return [...tickets, ...(await selectCodeGuests(tx, filter, after, limit - tickets.length))];
}

const countGuests = async (tx: Tx, filter: GuestFilter): Promise<number> =>
  (await countTicketGuests(tx, filter)) + (includesCodes(filter) ? await countCodeGuests(tx, filter) : 0);

function toGuest(row: GuestRow, personal: boolean): Guest {
  return {
    ticketId: row.ticket_id,
    codeId: row.code_id,
    orderId: row.order_id,
    itemId: row.item_id,
    item: row.item,
    type: row.type,
    sessionIds: row.session_ids,
    name: row.name,
    email: personal ? row.email : null,
    document: personal ? row.document : null,
    status: row.at === null ? 'unchecked' : 'checked',
    checkedAt: row.at?.toISOString() ?? null,
    gate: row.gate,
    channel: row.channel === null || row.channel === boxOffice ? 'offline' : 'online',
    appCategoryId: row.channel,
  };
}
