import { findEventsWithClaims } from '../catalog/waiting-claims.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { openOffers } from '../orders/offer-tickets.ts';
import { recordAll } from '../platform/audit.ts';
import { tellPages } from '../platform/page-changes.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { executeAll, sendWithCommit } from '../postgres/pipeline.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { markOffered, markRemoved } from './entries.sql.ts';
import {
  addWaiting,
  closeEndedOffers,
  type LineRow,
  selectEventsWithEndedOffers,
  selectFirstInLines,
  selectLines,
  type WaitingRow,
} from './lines.sql.ts';
import { selectListSettings } from './settings.sql.ts';
import { queueOffers } from './waiting-mails.ts';

const hourMs = 3_600_000;
/** The maximum number of people per line that one transaction serves. */
const perLine = 100;

/**
 * Offers free tickets to the people who wait for them, first in line first, and closes entries whose offer was paid or has ended. Searches
 * only these events, or all events with null. Returns the number of offers. Several processes may do this at the same time: each transaction
 * locks the counters of the items first, like every order.
 */
export async function serveWaitingList(db: Database, act: Act, eventIds: readonly number[] | null): Promise<number> {
  if (eventIds?.length === 0) return 0;
  for (const eventId of await selectEventsWithEndedOffers(db, eventIds)) await inTransaction(db, {}, (tx) => closeEnded(tx, act, eventId));
  let offered = 0;
  for (const eventId of await findEventsWithClaims(db, act.at, eventIds)) {
    for (let more = true; more; ) {
      const round = await inTransaction(db, {}, (tx) => serveEvent(tx, act, eventId));
      offered += round.offered;
      more = round.more;
    }
  }
  return offered;
}

async function closeEnded(tx: Tx, act: Act, eventId: number): Promise<void> {
  const ended = await closeEndedOffers(tx, eventId, act.at);
  const entries = ended.map(({ id, status }) => ({
    act,
    change: { subject: 'waiting_list' as const, id, eventId, before: { status: 'offered' }, after: { status } },
  }));
  await executeAll(tx, recordAll(entries));
}

type Offered = WaitingRow & { orderId: number };

async function serveEvent(tx: Tx, act: Act, eventId: number): Promise<{ offered: number; more: boolean }> {
  const lines = await selectLines(tx, eventId);
  if (lines.length === 0) return { offered: 0, more: false };
  const { hours } = await selectListSettings(tx, eventId);
  const itemIds = [...new Set(lines.flatMap(({ item_ids }) => item_ids))];
  const offers = await openOffers(tx, act, eventId, itemIds, new Date(act.at.getTime() + hours * hourMs));
  // Read after the lock, because the lines may have changed while the transaction waited for it.
  const withTickets = (await selectLines(tx, eventId)).filter((line) => offers.free(wantedIn(line)) > 0);
  const { people, complete } = await readPeople(tx, eventId, withTickets);
  const { served, removed } = choose(people, new Map(withTickets.map((line) => [line.id, line])), offers);
  const orderIds = await offers.write(tx);
  const offered = served.map((person, i): Offered => ({ ...person, orderId: orderIds[i] ?? 0 }));
  if (offered.length + removed.length > 0) await write(tx, act, eventId, offered, removed);
  return { offered: offered.length, more: !complete && offered.length + removed.length > 0 };
}

const wantedIn = ({ item_ids, session_id }: LineRow) => ({ itemIds: item_ids, sessionId: session_id });

/**
 * Reads the first people of each line, in the order of their places. If a line is longer than what is read of it, nobody behind that point is
 * served now in any line. Otherwise people of a short line would pass people of a long one.
 */
async function readPeople(tx: Tx, eventId: number, lines: readonly LineRow[]): Promise<{ people: WaitingRow[]; complete: boolean }> {
  const lineIds = lines.map(({ id }) => id);
  const rows = lineIds.length === 0 ? [] : await selectFirstInLines(tx, eventId, lineIds, perLine);
  const cut = lineIds.map((id) => rows.filter(({ line_id }) => line_id === id)).filter(({ length }) => length === perLine);
  const lastPlace = Math.min(...cut.map((of) => of.at(-1)?.place ?? 0));
  return { people: rows.filter(({ place }) => place <= lastPlace), complete: cut.length === 0 };
}

type Offers = Awaited<ReturnType<typeof openOffers>>;

/**
 * Decides who gets an offer. A party gets all its tickets or none. If too few are free, they are kept for it, and nobody behind it in the same
 * line is served. People of other lines can still get tickets that the party cannot use.
 */
function choose(people: readonly WaitingRow[], lines: ReadonlyMap<number, LineRow>, offers: Offers) {
  const blocked = new Set<number>();
  const served: WaitingRow[] = [];
  const removed: WaitingRow[] = [];
  for (const person of people) {
    const line = lines.get(person.line_id);
    if (!line || blocked.has(line.id)) continue;
    const wanted = { ...wantedIn(line), quantity: person.quantity, locale: person.locale };
    const outcome = offers.offer(wanted);
    if (outcome === 'offered') served.push(person);
    // The producer has lowered the maximum of the item in the meantime, for example.
    else if (outcome instanceof Problem) removed.push(person);
    else {
      offers.keepFor(wanted);
      blocked.add(line.id);
    }
  }
  return { served, removed };
}

async function write(tx: Tx, act: Act, eventId: number, offered: readonly Offered[], removed: readonly WaitingRow[]): Promise<void> {
  const moves = [...offered, ...removed].map(({ line_id: lineId, quantity }) => ({ lineId, by: -quantity }));
  const changes = [
    ...offered.map(({ id, orderId }) => ({ id, after: { status: 'offered', orderId } })),
    ...removed.map(({ id }) => ({ id, after: { status: 'removed' } })),
  ];
  await sendWithCommit(tx, [
    ...(offered.length > 0
      ? [
          markOffered(
            eventId,
            offered.map(({ id, orderId }) => ({ eventId, id, orderId })),
            act.at,
          ),
        ]
      : []),
    ...(removed.length > 0
      ? [
          markRemoved(
            eventId,
            removed.map(({ id }) => id),
            act.at,
          ),
        ]
      : []),
    addWaiting(eventId, moves),
    ...queueOffers(eventId, offered, act.at),
    ...tellPages([eventId]),
    ...recordAll(changes.map(({ id, after }) => ({ act, change: { subject: 'waiting_list' as const, id, eventId, after } }))),
  ]);
}
