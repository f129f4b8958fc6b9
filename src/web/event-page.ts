import { webShop } from '../catalog/item.ts';
import type { Event } from '../events/event-schemas.ts';
import type { PageEdge, PageResponse } from '../http/page-routes.ts';
import type { Act } from '../kernel/act.ts';
import type { Locale } from '../kernel/locale.ts';
import { Problem } from '../kernel/problem.ts';
import { toInstant, toWallClock } from '../kernel/wall-clock.ts';
import type { TicketGroup } from '../storefront/contract.ts';
import { revealedBy, ticketsIn } from '../storefront/tickets.ts';
import type { Queue } from '../waiting-room/contract.ts';
import type { CodeState, EventPage, Refusal, Session } from './contract.ts';
import type { EventFacts } from './event-facts.ts';
import { describeForSearchEngines } from './event-json-ld.ts';
import { posterOf } from './images.ts';
import { redirect } from './redirect.ts';
import type { ShopRequest } from './shop-request.ts';
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

/** Shows the event with this link. Its earlier links and its id lead to it. */
export async function showEvent({ shop, edge, act, locale, request }: ShopRequest): Promise<PageResponse> {
  const { query } = request;
  const { link = '' } = request.params;
  const preview = query.preview || undefined;
  const facts = preview === undefined ? await shop.events.read(edge, act, link) : await shop.events.readPreview(edge, act, link, preview);
  if (facts.event.link !== link) {
    const address = `/${locale}/event/${facts.event.link}`;
    return preview === undefined ? redirect(301, address) : redirect(302, `${address}?preview=${preview}`);
  }
  const page = await readEventPage(edge, act, facts, {
    locale,
    origin: shop.origin,
    session: query.session,
    passkey: query.passkey,
    preview,
    isAdmitted: query.admitted !== undefined,
  });
  const status = page.status === 'cancelled' ? 410 : page.code.state === 'locked' ? 429 : 200;
  const isPrivate = Boolean(query.passkey || preview);
  return shop.render(edge, { locale, path: `/event/${link}`, query }, page, { status, isPrivate });
}

/** Returns the page of an event with what its reader has chosen, for example a session. */
export async function readEventPage(edge: PageEdge, act: Act, facts: EventFacts, choice: EventChoice): Promise<EventPage> {
  const { event, queue: room } = facts;
  const { groups, code, sessionId, choosesSession } = await readTickets(edge, act, facts, choice);
  const poster = posterOf(event);
  const waiting = waitingFormOf(event, groups, sessionId, choice.waitingRefused ?? null);
  const queue = room && { ...describeQueue(room, event), isAdmitted: choice.isAdmitted === true };
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
    similar: facts.similar,
    jsonLd: describeForSearchEngines(event, groups, {
      address: `${choice.origin}/${choice.locale}/event/${event.link}`,
      image: poster.wide,
      origin: choice.origin,
    }),
  };
}

const describeQueue = ({ state, opensAt }: Queue, { timezone }: Event) => ({ state, opensAt: toWallClock(new Date(opensAt), timezone) });

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
 * If an item is sold for several sessions, buyers choose a session first, and the tickets are those of that session. Otherwise all tickets
 * are on the page, and each says for which session it is.
 */
async function readTickets(edge: PageEdge, act: Act, { event, items }: EventFacts, choice: EventChoice): Promise<Tickets> {
  const { code, revealed } = await tryCode(edge, act, event.id, choice.passkey);
  const view = { at: act.at, channel: webShop, asPublished: choice.preview !== undefined };
  const groups = soldHere(ticketsIn(items, view, revealed));
  const choosesSession = groups.some(({ tickets }) => tickets.some(({ type, sessionIds }) => type !== 'passport' && sessionIds.length > 1));
  const session = choosesSession ? chooseSession(event, choice.session) : undefined;
  if (!session) return { groups, code, sessionId: null, choosesSession: false };
  const ofSession = soldHere(ticketsIn(items, { ...view, session: session.id }, revealed));
  return { groups: ofSession, code, sessionId: session.id, choosesSession };
}

/** Leaves out the items of imported codes, which others sell. */
const soldHere = (groups: readonly TicketGroup[]): TicketGroup[] =>
  groups
    .map((group) => ({ ...group, tickets: group.tickets.filter(({ type }) => type !== 'external') }))
    .filter(({ tickets }) => tickets.length > 0);

const chooseSession = ({ sessions }: Event, wanted: string | undefined): Event['sessions'][number] | undefined =>
  sessions.find(({ id }) => String(id) === wanted) ?? sessions.find(({ status }) => status === 'available') ?? sessions[0];

interface TriedCode {
  code: EventPage['code'];
  /** The ids of the hidden items that the code unlocks. */
  revealed?: ReadonlySet<number>;
}

/** If the code is rejected, the page shows the other tickets and the reason. */
async function tryCode(edge: PageEdge, act: Act, eventId: number, passkey = ''): Promise<TriedCode> {
  const text = passkey.trim().slice(0, 200);
  if (text === '') return { code: { text, state: 'none', minutes: 0 } };
  const revealed = await edge.readAndCount((tx) => revealedBy(tx, act, eventId, text));
  if (revealed instanceof Problem) return { code: { text, ...reasonOf(revealed) } };
  return { code: { text, state: 'accepted', minutes: 0 }, revealed };
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
    const soldOut = tickets.filter((ticket) => ticket.status === 'soldout' && !ticket.hidden);
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
