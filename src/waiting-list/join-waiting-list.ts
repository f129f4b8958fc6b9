import { webShop } from '../catalog/item.ts';
import { combineStatuses } from '../catalog/sale-status.ts';
import { readStock, type StockItem } from '../catalog/stock.ts';
import { requireReadableEvent } from '../events/require-readable-event.ts';
import type { Act } from '../kernel/act.ts';
import { localeOfCurrency } from '../kernel/locale.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { chooseSessions, isOffered } from '../orders/decide-order.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import type { Joined, NewEntry } from './contract.ts';
import { upsertEntry } from './entries.sql.ts';
import { confirmMs } from './entry.ts';
import { countInLine, insertLine, type LineKey, selectItemsOf, selectLineId } from './lines.sql.ts';
import { selectListSettings } from './settings.sql.ts';
import { queueConfirmation, requireFewJoins } from './waiting-mails.ts';

/**
 * Puts an address on the waiting list, unconfirmed, and mails a link. The response and the mail limits are the same whether or not the address is
 * in the list already, so nobody can find out.
 */
export async function joinWaitingList(tx: Tx, act: Act, eventId: number, wanted: NewEntry): Promise<Joined> {
  await requireReadableEvent(tx, act.actor, eventId);
  const { enabled, currency } = await selectListSettings(tx, eventId);
  if (!enabled) throw new Problem('wrong_state', 'This event has no waiting list.');
  const key = await lineOf(tx, act, eventId, wanted);
  const lineId = await findLine(tx, key);
  const email = wanted.email.trim().toLowerCase();
  const locale = wanted.locale ?? act.locale ?? localeOfCurrency(currency);
  const confirmableFrom = new Date(act.at.getTime() - confirmMs);
  const id = await upsertEntry(tx, { eventId, lineId, quantity: wanted.quantity, email, locale, at: act.at, confirmableFrom });
  await requireFewJoins(tx, act, eventId);
  await executeAll(tx, queueConfirmation(act, { eventId, id, email, locale }));
  const after = { itemId: wanted.itemId, quantity: wanted.quantity };
  await record(tx, act, { subject: 'waiting_list', id, eventId, after });
  return { ahead: await countInLine(tx, eventId, lineId) };
}

async function findLine(tx: Tx, key: LineKey): Promise<number> {
  const known = await selectLineId(tx, key);
  if (known !== undefined) return known;
  await insertLine(tx, key);
  return (await selectLineId(tx, key)) ?? 0;
}

/** Checks that people may wait for the item, and returns its line. An order for it must be valid except that it is sold out. */
async function lineOf(tx: Tx, act: Act, eventId: number, wanted: NewEntry): Promise<LineKey> {
  const itemIds = await selectItemsOf(tx, eventId, wanted.itemId);
  const keys = itemIds.map((id) => ({ eventId, id }));
  const stock = await readStock(tx, { eventIds: [eventId], items: keys, sessions: [], itemsOfAnySession: [] });
  const items = itemIds.flatMap((id) => stock.item(id) ?? []).filter((item) => isOffered(item, false) && item.type !== 'external');
  if (items.length === 0) throw ruleViolation('itemId', 'unknown', `Event ${eventId} has no item ${wanted.itemId} that you can order.`);
  const inSession = requireSession(items, wanted.sessionId);
  const possible = requireQuantity(inSession, wanted.quantity, act.at);
  const sessions = new Set(inSession.filter(({ item }) => possible.includes(item)).map(({ sessionId }) => sessionId));
  const [onlySession = null] = sessions.size === 1 ? sessions : [];
  const sessionId = wanted.sessionId ?? onlySession;
  const view = { at: act.at, channel: webShop, ...(sessionId !== null && { session: sessionId }) };
  requireSoldOut(possible, view);
  return { eventId, itemId: wanted.itemId, sessionId };
}

/** Returns the items that are sold for the session. `sessionId` is null for tickets that admit to several sessions or to none. */
function requireSession(items: readonly StockItem[], asked: number | undefined): { item: StockItem; sessionId: number | null }[] {
  const chosen = items.map((item) => ({ item, sessions: chooseSessions(item, asked) }));
  if (chosen.some(({ sessions }) => sessions === 'required'))
    throw ruleViolation('sessionId', 'required', 'The item is sold for several sessions. Send sessionId.');
  const possible = chosen.flatMap(({ item, sessions }) =>
    typeof sessions === 'string' ? [] : [{ item, sessionId: item.type === 'passport' ? null : (sessions[0] ?? null) }],
  );
  if (possible.length === 0) throw ruleViolation('sessionId', 'not_of_item', 'The item is not sold for this session.');
  return possible;
}

/** A party that is too large for the item would wait for ever, and keep everybody behind it waiting. */
function requireQuantity(offered: readonly { item: StockItem; sessionId: number | null }[], quantity: number, at: Date): StockItem[] {
  const maximums = new Map(
    offered.map(({ item, sessionId }) => {
      const { maximum, maximumPerBuyer, maximumPerOrder } = item;
      const capacity = item.capacity({ at, channel: webShop, ...(sessionId !== null && { session: sessionId }) });
      return [item, Math.min(maximumPerOrder, maximum ?? maximumPerOrder, maximumPerBuyer ?? maximumPerOrder, capacity ?? maximumPerOrder)];
    }),
  );
  const items = [...maximums.keys()];
  const possible = items.filter((item) => quantity >= (item.minimum ?? 1) && quantity <= (maximums.get(item) ?? 0));
  if (possible.length > 0) return possible;
  const most = Math.max(...maximums.values());
  if (quantity > most) throw ruleViolation('quantity', 'maximum', `Wait for at most ${most} tickets.`);
  throw ruleViolation('quantity', 'minimum', `Wait for at least ${Math.min(...items.map(({ minimum }) => minimum ?? 1))} tickets.`);
}

function requireSoldOut(items: readonly StockItem[], view: Parameters<StockItem['status']>[0]): void {
  const status = combineStatuses(items.map((item) => item.status(view)));
  if (status === 'soldout') return;
  throw new Problem(
    'wrong_state',
    status === 'available'
      ? 'Tickets are still on sale. Order them instead.'
      : `The status is ${status}. The waiting list is open only while tickets are sold out.`,
  );
}
