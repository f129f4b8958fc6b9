import { type LiveItems, readLiveItems } from '../catalog/visible-items.ts';
import type { Event } from '../events/event-schemas.ts';
import { isPreviewToken } from '../events/preview.ts';
import { identifyEvent, requireReadableEvent } from '../events/require-readable-event.ts';
import { allPagesTag } from '../http/page-cache.ts';
import type { PageEdge } from '../http/page-routes.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { describeEvent } from '../storefront/event.ts';
import { searchEvents } from '../storefront/search-events.ts';
import type { Queue } from '../waiting-room/contract.ts';
import { findQueue } from '../waiting-room/get-room.ts';
import type { EventCard } from './contract.ts';
import { cardFields, cardsOf } from './event-cards.ts';

/** What the page of an event shows to everybody, whatever they have chosen on it. */
export interface EventFacts {
  event: Event;
  items: LiveItems;
  queue: Queue | null;
  similar: EventCard[];
}

const similarShown = 4;
const maxKnownLinks = 10_000;

/** Reads events by their link, an earlier link or their id. */
export class EventReader {
  /** Remembered so that a page can be cached by the id of its event. A link that moved to another event is corrected by the next read. */
  readonly #idsByLink = new Map<string, number>();

  /** The cache tag of pages of this event. */
  tagOf(link: string): string {
    return String(this.#idsByLink.get(link) ?? allPagesTag);
  }

  /** Pages of the event share what is read here. */
  async read(edge: PageEdge, act: Act, link: string): Promise<EventFacts> {
    const facts = await edge.readShared(`event ${link}`, this.tagOf(link), (tx) => readPublic(tx, act, link));
    if (this.#idsByLink.size >= maxKnownLinks) this.#idsByLink.clear();
    this.#idsByLink.set(link, facts.event.id);
    return facts;
  }

  /** For pages that say why an event has no tickets left: they must not show tickets that were left a moment ago. */
  readNow(edge: PageEdge, act: Act, id: number): Promise<EventFacts> {
    return edge.read((tx) => readPublic(tx, act, String(id)));
  }

  /** The token of a preview link also opens a draft, which is shown as if it were published. */
  readPreview(edge: PageEdge, act: Act, link: string, token: string): Promise<EventFacts> {
    return edge.read(async (tx) => {
      const id = await identifyEvent(tx, link);
      if (!isPreviewToken(tx, id, token, act.at)) throw new Problem('not_found');
      return { ...(await readFacts(tx, act, id, true)), queue: null };
    });
  }
}

async function readPublic(tx: Tx, act: Act, link: string): Promise<EventFacts> {
  const id = await identifyEvent(tx, link);
  await requireReadableEvent(tx, act.actor, id);
  return { ...(await readFacts(tx, act, id, false)), queue: await findQueue(tx, id, act.at) };
}

async function readFacts(tx: Tx, act: Act, id: number, asPublished: boolean): Promise<Omit<EventFacts, 'queue'>> {
  const items = await readLiveItems(tx, [id]);
  const event = await describeEvent(tx, act, id, { asPublished, items });
  return { event, items, similar: await readSimilar(tx, act, event) };
}

async function readSimilar(tx: Tx, act: Act, { id, category }: Event): Promise<EventCard[]> {
  const { data } = await searchEvents(tx, act, { pageSize: similarShown + 1, fields: cardFields }, category);
  return cardsOf(data.filter((other) => other.id !== id).slice(0, similarShown));
}
