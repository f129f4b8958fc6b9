import { type View, webShop } from '../catalog/item.ts';
import type { Item } from '../catalog/item-schemas.ts';
import { combineStatuses, maxShownRemaining } from '../catalog/sale-status.ts';
import { type LiveItems, readLiveItems, type VisibleItem } from '../catalog/visible-items.ts';
import { requireReadableEvent } from '../events/require-readable-event.ts';
import type { Act } from '../kernel/act.ts';
import { plainText } from '../kernel/plain-text.ts';
import { Problem } from '../kernel/problem.ts';
import { openPasskey } from '../passkeys/open-passkey.ts';
import type { Tx } from '../postgres/database.ts';
import type { Ticket, TicketGroup, TicketQuery } from './contract.ts';
import { sessionExists } from './events.sql.ts';

export interface WantedTickets {
  eventId: number;
  sessionId?: number;
  /** For the preview of a draft. */
  asPublished?: boolean;
  /** The items of the event, if the caller has read them. */
  items?: LiveItems;
}

/** Returns the items of an event or of one session, in groups, sorted by position. For a rejected passkey it returns a problem. */
export async function getEventTickets(
  tx: Tx,
  act: Act,
  wanted: WantedTickets,
  query: TicketQuery,
): Promise<{ data: TicketGroup[] } | Problem> {
  await requireReadableEvent(tx, act.actor, wanted.eventId);
  return readEventTickets(tx, act, wanted, query);
}

/** Like `getEventTickets`, for callers that have checked that the event may be read. */
export async function readEventTickets(
  tx: Tx,
  act: Act,
  { eventId, sessionId, asPublished = false, items }: WantedTickets,
  query: TicketQuery,
): Promise<{ data: TicketGroup[] } | Problem> {
  if (sessionId !== undefined && !(await sessionExists(tx, eventId, sessionId))) throw new Problem('not_found');
  const term = plainText(query.term ?? '');
  const channel = query.appCategoryId ?? webShop;
  const view: View = { at: act.at, channel, asPublished, ...(sessionId !== undefined && { session: sessionId }) };
  const revealed = await revealedBy(tx, act, eventId, query.passkey);
  if (revealed instanceof Problem) return revealed;
  const shown = (items ?? (await readLiveItems(tx, [eventId])))
    .visible(revealed)
    .filter(({ sessionIds }) => sessionId === undefined || sessionIds.length === 0 || sessionIds.includes(sessionId))
    .map((entry) => ({ entry, item: entry.describe(view) }))
    .filter(({ item }) => plainText(item.name).includes(term));
  return { data: inGroups(shown, view.channel) };
}

/** Returns the ids of the hidden items that the passkey unlocks. Without a passkey the set is empty. */
async function revealedBy(tx: Tx, { at, address }: Act, eventId: number, text: string | undefined): Promise<ReadonlySet<number> | Problem> {
  if (text === undefined) return new Set();
  const opened = await openPasskey(tx, { eventId, text, at, address });
  return opened instanceof Problem ? opened : new Set(opened.itemIds);
}

interface Shown {
  entry: VisibleItem;
  item: Item;
}

/** Sorts the items into groups. Items without a group form one group, which has the position of its first item. */
function inGroups(shown: readonly Shown[], channel: number): TicketGroup[] {
  const ids = [...new Set(shown.map(({ entry }) => entry.group?.id ?? null))];
  const groups = ids.map((id) => {
    const members = shown.filter(({ entry }) => (entry.group?.id ?? null) === id);
    const group = members[0]?.entry.group ?? null;
    return {
      position: [group?.position ?? members[0]?.item.position ?? 0, id ?? members[0]?.item.id ?? 0] as const,
      described: {
        id,
        name: group?.name ?? null,
        description: group?.description ?? null,
        status: combineStatuses(members.map(({ item }) => item.status)),
        tickets: members.map((member) => toTicket(member, channel)),
      },
    };
  });
  return groups.toSorted((a, b) => a.position[0] - b.position[0] || a.position[1] - b.position[1]).map(({ described }) => described);
}

function toTicket({ entry, item }: Shown, channel: number): Ticket {
  const { id, name, description, type, values, status, hidden, remaining, sessionIds } = item;
  const period = item.salesPeriods.find(({ appCategoryId }) => appCategoryId === channel);
  return {
    id,
    name,
    description,
    type,
    price: values?.price ?? null,
    feeSale: values?.feeSale ?? null,
    finalPrice: values?.finalPrice ?? null,
    currency: entry.currency,
    status,
    hidden,
    minimum: limitOf(item, 'minimum'),
    maximum: limitOf(item, 'maximum'),
    start: period?.start ?? null,
    finish: period?.finish ?? null,
    remaining: remaining !== null && remaining <= maxShownRemaining ? remaining : null,
    sessionIds,
  };
}

function limitOf({ attributes }: Item, key: 'minimum' | 'maximum'): number | null {
  const value = attributes.find((attribute) => attribute.key === key)?.value;
  return typeof value === 'number' ? value : null;
}
