import { identifyEvent, requireReadableEvent } from '../events/require-readable-event.ts';
import type { PageRequest, PageResponse } from '../http/page-routes.ts';
import { cookieName, setCookie } from '../http/site-cookies.ts';
import type { Act } from '../kernel/act.ts';
import type { Locale } from '../kernel/locale.ts';
import { Problem } from '../kernel/problem.ts';
import { toWallClock } from '../kernel/wall-clock.ts';
import type { Tx } from '../postgres/database.ts';
import { readEvent } from '../storefront/event.ts';
import { qrPath } from '../tickets/qr-code.ts';
import type { QueueNumber, QueuePlace } from '../waiting-room/contract.ts';
import { findQueue } from '../waiting-room/get-room.ts';
import { attempt } from './attempt.ts';
import { posterOf } from './images.ts';
import type { OwnPlace, QueuePage } from './queue-contract.ts';
import { seeOther } from './redirect.ts';
import type { Shop } from './shop.ts';
import type { ShopRequest } from './shop-request.ts';

/** One cookie per event holds the number, and one the admission. */
const numberCookie = (eventId: number): string => `queue-${eventId}`;
const admissionCookie = (eventId: number): string => `admission-${eventId}`;
const numberSeconds = 86_400;

/** The admission in the cookies of a page request. */
export const admissionIn = (cookies: PageRequest['cookies'], eventId: number, shopUrl: string): string | undefined =>
  cookies[cookieName(admissionCookie(eventId), shopUrl)] || undefined;

const pathOf = (locale: Locale, link: string): string => `/${locale}/event/${link}/queue`;

/**
 * A link from another device has the number in its address. It moves into a cookie, so that it does not stay there. Anybody can send such a
 * link, so it never replaces a place that the visitor has.
 */
export async function showQueue(to: ShopRequest): Promise<PageResponse> {
  const { shop, edge, act, locale, request } = to;
  const { link = '' } = request.params;
  const eventId = await findEvent(to);
  const { number } = request.query;
  const place = await claim(to, eventId, ticketIn(to, eventId));
  if (number !== undefined) {
    const sent = hasTurn(place) ? null : await claim(to, eventId, number);
    return seeOther(pathOf(locale, link), { ...(sent && keepNumber(shop, eventId, sent.ticket)), 'referrer-policy': 'no-referrer' });
  }
  const page = await edge.read((tx) => readQueuePage(tx, act, eventId, { shop, locale, place }));
  const response = page
    ? await shop.render(edge, { locale, path: `/event/${page.event.link}/queue` }, page, { isPrivate: true })
    : seeOther(`/${locale}/event/${link}`);
  return { ...response, headers: { ...response.headers, ...keepAdmission(to, eventId, place) } };
}

/** Takes a number, unless the visitor has one whose turn is not over. A reload must not cost the place. */
export async function takeNumber(to: ShopRequest): Promise<PageResponse> {
  const { shop, edge, act, locale, request } = to;
  const eventId = await findEvent(to);
  const address = pathOf(locale, request.params.link ?? '');
  if (hasTurn(await claim(to, eventId, ticketIn(to, eventId)))) return seeOther(address);
  const { status, body } = await attempt<QueueNumber>(edge, act, 'joinQueue', { params: { id: eventId } });
  if (status === 404) return seeOther(`/${locale}/event/${request.params.link}`);
  if (status !== 201) throw new Problem('overloaded');
  return seeOther(address, keepNumber(shop, eventId, body.ticket));
}

const findEvent = ({ edge, act, request }: ShopRequest): Promise<number> =>
  edge.read(async (tx) => {
    const id = await identifyEvent(tx, request.params.link ?? '');
    await requireReadableEvent(tx, act.actor, id);
    return id;
  });

type Claimed = QueuePlace & { ticket: string };

/** Whether the turn of the visitor has come or will come. */
const hasTurn = (place: Claimed | null): boolean => place !== null && place.state !== 'missed';

/** The number in the cookies of a page request. */
const ticketIn = ({ shop, request }: ShopRequest, eventId: number): string | undefined =>
  request.cookies[cookieName(numberCookie(eventId), shop.origin)];

/** Returns the place in line that a number has, or null if the number is missing or no longer valid. */
async function claim({ edge, act }: ShopRequest, eventId: number, ticket: string | undefined): Promise<Claimed | null> {
  if (!ticket) return null;
  const { status, body } = await attempt<QueuePlace>(edge, act, 'claimPlace', { params: { id: eventId }, body: { ticket } });
  if (status === 503) throw new Problem('overloaded');
  return status === 200 ? { ...body, ticket } : null;
}

const keepNumber = (shop: Shop, eventId: number, ticket: string): Record<string, string> => ({
  'set-cookie': setCookie(numberCookie(eventId), { value: ticket, maxAgeSeconds: numberSeconds, sameSite: 'Lax' }, shop.origin),
});

function keepAdmission({ shop, act }: ShopRequest, eventId: number, place: QueuePlace | null): Record<string, string> {
  if (!place?.admission || place.expiresAt === null) return {};
  const maxAgeSeconds = Math.ceil((Date.parse(place.expiresAt) - act.at.getTime()) / 1000);
  return { 'set-cookie': setCookie(admissionCookie(eventId), { value: place.admission, maxAgeSeconds, sameSite: 'Lax' }, shop.origin) };
}

interface Reader {
  shop: Shop;
  locale: Locale;
  place: Claimed | null;
}

/** Returns null if the event has no waiting room. */
async function readQueuePage(tx: Tx, act: Act, eventId: number, { shop, locale, place }: Reader): Promise<QueuePage | null> {
  const queue = await findQueue(tx, eventId, act.at);
  if (!queue) return null;
  const event = await readEvent.event(tx, act, eventId);
  return {
    kind: 'queue',
    event: { id: eventId, title: event.title, link: event.link, image: posterOf(event).wide },
    opensAt: toWallClock(new Date(queue.opensAt), event.timezone),
    queue,
    now: act.at.toISOString(),
    own: place && ownPlace(place, `${shop.origin}${pathOf(locale, event.link)}`),
  };
}

function ownPlace({ state, number, place, ticket }: Claimed, path: string): OwnPlace {
  const address = `${path}?number=${ticket}`;
  return { state, number, place, ticket, address, qr: qrPath(address) };
}
