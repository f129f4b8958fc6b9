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

interface WantedTickets {
  eventId: number;
  sessionId?: number;
}

/** Returns the items of an event or of one session, in groups, sorted by position. For a rejected passkey it returns a problem. */
export async function getEventTickets(
  tx: Tx,
  act: Act,
  { eventId, sessionId }: WantedTickets,
  query: TicketQuery,
): Promise<{ data: TicketGroup[] } | Problem> {
  await requireReadableEvent(tx, act.actor, eventId);
  if (sessionId !== undefined && !(await sessionExists(tx, eventId, sessionId))) throw new Problem('not_found');
  const revealed = query.passkey === undefined ? nothing : await revealedBy(tx, act, eventId, query.passkey);
  if (revealed instanceof Problem) return revealed;
  const view: View = { at: act.at, channel: query.appCategoryId ?? webShop, ...(sessionId !== undefined && { session: sessionId }) };
  return { data: ticketsIn(await readLiveItems(tx, [eventId]), view, revealed, query.term) };
}

const nothing: ReadonlySet<number> = new Set();

/** Returns the items of the view with `term` in their names, in groups. Of the hidden items only those that are `revealed`. */
export function ticketsIn(items: LiveItems, view: View, revealed: ReadonlySet<number> = nothing, term = ''): TicketGroup[] {
  const { session, channel } = view;
  const wanted = plainText(term);
  const shown = items
    .visible(revealed)
    .filter(({ sessionIds }) => session === undefined || sessionIds.length === 0 || sessionIds.includes(session))
    .map((entry) => ({ entry, item: entry.describe(view) }))
    .filter(({ item }) => plainText(item.name).includes(wanted));
  return inGroups(shown, channel);
}

/** Returns the ids of the hidden items that the passkey unlocks. For a rejected passkey it returns a problem. */
export async function revealedBy(tx: Tx, { at, address }: Act, eventId: number, text: string): Promise<ReadonlySet<number> | Problem> {
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
