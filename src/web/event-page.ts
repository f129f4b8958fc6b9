import { type LiveItems, readLiveItems } from '../catalog/visible-items.ts';
import type { Event } from '../events/event-schemas.ts';
import { isPreviewToken } from '../events/preview.ts';
import { identifyEvent, requireReadableEvent } from '../events/require-readable-event.ts';
import type { Act } from '../kernel/act.ts';
import type { Locale } from '../kernel/locale.ts';
import { Problem } from '../kernel/problem.ts';
import { toInstant, toWallClock } from '../kernel/wall-clock.ts';
import type { Tx } from '../postgres/database.ts';
import type { TicketGroup } from '../storefront/contract.ts';
import { describeEvent } from '../storefront/event.ts';
import { searchEvents } from '../storefront/search-events.ts';
import { readEventTickets, type WantedTickets } from '../storefront/tickets.ts';
import { findQueue } from '../waiting-room/get-room.ts';
import type { CodeState, EventPage, Refusal, Session } from './contract.ts';
import { cardFields, cardsOf } from './event-cards.ts';
import { describeForSearchEngines } from './event-json-ld.ts';
import { posterOf } from './images.ts';
import type { WaitingForm, WaitingRefusal } from './waiting-contract.ts';

/** What the reader of an event page has asked for. */
export interface EventChoice {
  locale: Locale;
  origin: string;
  /** The id of the chosen session, as text. */
  session: string | undefined;
  passkey: string | undefined;
  /** The token of a preview link, which also opens a draft. */
  preview?: string | undefined;
  /** The visitor comes from the waiting room. This only changes what the page shows: the order needs the admission. */
  isAdmitted?: boolean;
  /** An order that was refused, and what it asked for. */
  refused?: { refusal: Refusal; chosen: Readonly<Record<number, number>> };
  /** A form of the waiting list that was refused. */
  waitingRefused?: WaitingRefusal;
}

const similarShown = 4;

/** Reads the event with this link, earlier link or id. */
export async function readEventPage(tx: Tx, act: Act, link: string, choice: EventChoice): Promise<EventPage> {
  const id = await identifyEvent(tx, link);
  if (choice.preview === undefined) await requireReadableEvent(tx, act.actor, id);
  else if (!isPreviewToken(tx, id, choice.preview, act.at)) throw new Problem('not_found');
  const items = await readLiveItems(tx, [id]);
  const event = await describeEvent(tx, act, id, { asPublished: choice.preview !== undefined, items });
  const { groups, code, sessionId, choosesSession } = await readTickets(tx, act, event, items, choice);
  const poster = posterOf(event);
  const waiting = waitingFormOf(event, groups, sessionId, choice.waitingRefused ?? null);
  const queue = choice.preview === undefined ? await readQueue(tx, act, event, choice.isAdmitted === true) : null;
  return {
    kind: 'event',
    id: event.id,
    title: event.title,
    subtitle: event.subtitle,
    description: event.description,
    link: event.link,
    status: event.status,
    isOver: isOver(event, act.at),
    preview: choice.preview ?? null,
    poster,
    start: event.start,
    finish: event.finish,
    sessions: event.sessions.map(describeSession),
    choosesSession,
    venue: describeVenue(event.venue),
    producer: { name: event.producer.name, path: `/producer/${event.producer.id}` },
    category: event.category,
    ageRating: event.ageRating,
    faq: event.faq,
    accessibility: event.accessibility,
    withdrawalDays: event.withdrawalDays,
    code,
    choice: {
      eventId: event.id,
      locale: choice.locale,
      currency: event.currency,
      maximumPerOrder: event.maximumPerOrder,
      groups,
      sessionStarts: Object.fromEntries(event.sessions.map(({ id, start }) => [id, start])),
      sessionId,
      passkey: code.state === 'accepted' ? code.text : null,
      chosen: choice.refused?.chosen ?? {},
      refusal: choice.refused?.refusal ?? null,
      isPreview: event.status === 'draft' || queue?.isAdmitted === false,
      waitingListHref: waiting === null ? null : '#waiting-list',
    },
    queue,
    waiting,
    similar: await readSimilar(tx, act, event),
    jsonLd: describeForSearchEngines(event, groups, {
      address: `${choice.origin}/${choice.locale}/event/${event.link}`,
      image: poster.wide,
      origin: choice.origin,
    }),
  };
}

async function readQueue(tx: Tx, act: Act, { id, timezone }: Event, isAdmitted: boolean): Promise<EventPage['queue']> {
  const queue = await findQueue(tx, id, act.at);
  return queue && { state: queue.state, opensAt: toWallClock(new Date(queue.opensAt), timezone), isAdmitted };
}

export function isOver({ finish, timezone }: Pick<Event, 'finish' | 'timezone'>, at: Date): boolean {
  const end = finish === null ? null : toInstant(finish, timezone);
  return end !== null && end <= at;
}

const describeSession = ({ id, name, start, finish, doorsOpenAt, status }: Event['sessions'][number]): Session => ({
  id,
  name,
  start,
  finish,
  doorsOpenAt,
  status,
});

interface Tickets {
  groups: TicketGroup[];
  code: EventPage['code'];
  sessionId: number | null;
  choosesSession: boolean;
}

/**
 * Reads the tickets. If an item is sold for several sessions, buyers choose a session first, and the tickets are those of that session.
 * Otherwise all tickets are on the page, and each says for which session it is.
 */
async function readTickets(tx: Tx, act: Act, event: Event, items: LiveItems, choice: EventChoice): Promise<Tickets> {
  const wanted = { eventId: event.id, asPublished: choice.preview !== undefined, items };
  const { groups, code } = await readWithCode(tx, act, wanted, choice.passkey);
  const choosesSession = groups.some(({ tickets }) => tickets.some(({ type, sessionIds }) => type !== 'passport' && sessionIds.length > 1));
  if (!choosesSession) return { groups, code, sessionId: null, choosesSession };
  const asked = event.sessions.find(({ id }) => String(id) === choice.session);
  const session = asked ?? event.sessions.find(({ status }) => status === 'available') ?? event.sessions[0];
  if (!session) return { groups, code, sessionId: null, choosesSession: false };
  const passkey = code.state === 'accepted' ? code.text : undefined;
  const ofSession = await readEventTickets(tx, act, { ...wanted, sessionId: session.id }, passkey === undefined ? {} : { passkey });
  return { groups: ofSession instanceof Problem ? groups : ofSession.data, code, sessionId: session.id, choosesSession };
}

/** Reads the tickets that the code unlocks. If the code is rejected, the page shows the other tickets and the reason. */
async function readWithCode(tx: Tx, act: Act, wanted: WantedTickets, passkey: string | undefined) {
  const text = passkey?.trim().slice(0, 200) ?? '';
  const noCode: EventPage['code'] = { text, state: 'none', minutes: 0 };
  const found = await readEventTickets(tx, act, wanted, text === '' ? {} : { passkey: text });
  if (!(found instanceof Problem))
    return { groups: found.data, code: { ...noCode, state: text === '' ? ('none' as const) : ('accepted' as const) } };
  const others = await readEventTickets(tx, act, wanted, {});
  return { groups: others instanceof Problem ? [] : others.data, code: { ...noCode, ...reasonOf(found) } };
}

function reasonOf({ code, details }: Problem): { state: CodeState; minutes: number } {
  if (code === 'rate_limited')
    return { state: 'locked', minutes: Math.max(1, Math.ceil(Number(details.headers?.['retry-after'] ?? 60) / 60)) };
  const reason = details.extra?.reason;
  return { state: reason === 'early' || reason === 'late' || reason === 'exhausted' ? reason : 'unknown', minutes: 0 };
}

/** Hidden items have no waiting list, because only people with an access code may know them. */
function waitingFormOf(
  { waitingList, waitingListHours: hours, status }: Event,
  groups: readonly TicketGroup[],
  sessionId: number | null,
  refused: WaitingRefusal | null,
): WaitingForm | null {
  if (!waitingList || (status !== 'published' && status !== 'private')) return null;
  const options = groups.flatMap(({ id, name, tickets }) => {
    const soldOut = tickets.filter((ticket) => ticket.status === 'soldout' && ticket.type !== 'external' && !ticket.hidden);
    const items = soldOut.map((ticket) => ({ itemId: ticket.id, name: ticket.name, group: name, isGroup: false }));
    const isWhole = id !== null && name !== null && tickets.length > 1 && soldOut.length === tickets.length;
    return isWhole ? [{ itemId: id, name, group: null, isGroup: true }, ...items] : items;
  });
  return options.length === 0 ? null : { hours, options, sessionId, refused };
}

function describeVenue(venue: Event['venue']): EventPage['venue'] {
  if (!venue) return null;
  const { name, street, city, state, location } = venue;
  const place = location ? `${location.lat},${location.lng}` : [name, street, city, state].filter(Boolean).join(', ');
  return {
    name,
    address: street,
    city: [city, state].filter(Boolean).join(', ') || null,
    mapUrl: `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(place)}`,
  };
}

async function readSimilar(tx: Tx, act: Act, event: Event) {
  const query = { pageSize: similarShown + 1, fields: cardFields };
  const { data } = await searchEvents(tx, act, query, event.category);
  return cardsOf(data.filter(({ id }) => id !== event.id).slice(0, similarShown));
}
