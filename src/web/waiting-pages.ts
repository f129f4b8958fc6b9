import { type Event, eventFieldNames } from '../events/event-schemas.ts';
import type { PageResponse } from '../http/page-routes.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { toWallClock } from '../kernel/wall-clock.ts';
import type { Tx } from '../postgres/database.ts';
import { describeEvents } from '../storefront/event.ts';
import { getWaitingListEntry } from '../waiting-list/change-entry.ts';
import type { Entry, Joined, OpenedOffer } from '../waiting-list/contract.ts';
import { attempt, type ProblemBody } from './attempt.ts';
import { readEventPage } from './event-page.ts';
import { seeOther } from './redirect.ts';
import { idOf, type ShopRequest } from './shop-request.ts';
import type { WaitingPage, WaitingRefusal } from './waiting-contract.ts';

/** Sends the form of the event page. If it is refused, the event page is shown again with the reason. */
export async function joinFromPage(to: ShopRequest): Promise<PageResponse> {
  const { edge, act, locale, request } = to;
  const { form } = request;
  const eventId = idOf(request, 'eventId');
  const [itemId, quantity, email] = [
    Number(form.get('itemId')),
    form.get('quantity') ?? '',
    (form.get('email') ?? '').trim().slice(0, 300),
  ];
  const sessionId = Number(form.get('sessionId'));
  const body = { itemId, quantity: Math.trunc(Number(quantity)), email, locale, ...(sessionId > 0 && { sessionId }) };
  const { status, body: answer } = await attempt<Joined>(edge, { ...act, locale }, 'joinWaitingList', { params: { id: eventId }, body });
  if (status < 300) return seeOther(`/${locale}/waiting-list/${eventId}`);
  if (status === 404) throw new Problem('not_found');
  const refused = { reason: reasonOf(answer), itemId, quantity: quantity.slice(0, 10), email };
  return showRefused(to, eventId, { refused, session: sessionId > 0 ? String(sessionId) : undefined, status });
}

function reasonOf({ code = '', errors = [] }: ProblemBody): WaitingRefusal['reason'] {
  if (code === 'overloaded' || code === 'unavailable' || code === 'rate_limited') return 'busy';
  if (code === 'wrong_state') return 'open';
  if (errors.some((error) => error.field === 'quantity' && error.code === 'maximum')) return 'tooMany';
  return code === 'invalid_input' || code === 'rule_violation' ? 'invalid' : 'other';
}

async function showRefused(
  { shop, edge, act, locale }: ShopRequest,
  eventId: number,
  { refused, session, status }: { refused: WaitingRefusal; session: string | undefined; status: number },
): Promise<PageResponse> {
  const choice = { locale, origin: shop.origin, session, passkey: undefined, waitingRefused: refused };
  const page = await readEventPage(edge, act, await shop.events.readNow(edge, act, eventId), choice);
  return shop.render(edge, { locale, path: `/event/${page.link}` }, page, { status, isPrivate: true });
}

/** Shows the entry that the token of a mail opens. Without a token, it says that a mail is on its way. */
export async function showEntry(to: ShopRequest, more: { hasChanged?: boolean; token?: string } = {}): Promise<PageResponse> {
  const { shop, edge, act, locale, request } = to;
  const eventId = idOf(request, 'eventId');
  const token = more.token ?? request.query.token ?? null;
  const page = await edge.read((tx) => readWaitingPage(tx, act, eventId, token, more.hasChanged ?? false));
  const place = { locale, path: `/waiting-list/${eventId}`, ...(token !== null && { query: { token } }) };
  const response = await shop.render(edge, place, page, { isPrivate: true, status: more.hasChanged ? 409 : 200 });
  // The address contains the token.
  return { ...response, headers: { ...response.headers, 'referrer-policy': 'no-referrer' } };
}

const operations: ReadonlyMap<string, string> = new Map([
  ['confirm', 'confirmWaitingListEntry'],
  ['leave', 'leaveWaitingList'],
]);

/** Confirms the address, or leaves the list. Then the browser loads the page again, so that a reload does not send the form twice. */
export async function changeFromPage(to: ShopRequest): Promise<PageResponse> {
  const { edge, act, locale, request } = to;
  const eventId = idOf(request, 'eventId');
  const token = request.form.get('token') ?? '';
  if (request.form.get('do') === 'order') return openOffer(to, eventId, token);
  const operation = operations.get(request.form.get('do') ?? '');
  if (operation === undefined) throw new Problem('invalid_input', 'This page has no such form.');
  const { status } = await attempt<Entry>(edge, { ...act, locale }, operation, { params: { id: eventId }, body: { token } });
  if (status === 409) return showEntry(to, { hasChanged: true, token });
  if (status >= 300) throw new Problem(status === 503 ? 'unavailable' : 'not_found');
  return seeOther(`/${locale}/waiting-list/${eventId}?token=${token}`);
}

/** Leads to the order of an open offer. The page of the order moves the secret into a cookie. */
async function openOffer(to: ShopRequest, eventId: number, token: string): Promise<PageResponse> {
  const { edge, act, locale } = to;
  const { status, body } = await attempt<OpenedOffer>(edge, { ...act, locale }, 'openWaitingListOffer', {
    params: { id: eventId },
    body: { token },
  });
  if (status === 409) return showEntry(to, { hasChanged: true, token });
  if (status >= 300) throw new Problem(status === 503 ? 'unavailable' : 'not_found');
  return seeOther(`/${locale}/orders/${body.orderId}?token=${body.secret}`, { 'referrer-policy': 'no-referrer' });
}

const shownFields: ReadonlySet<string> = new Set(eventFieldNames);

async function readWaitingPage(tx: Tx, act: Act, eventId: number, token: string | null, hasChanged: boolean): Promise<WaitingPage> {
  const entry = token === null ? null : await getWaitingListEntry(tx, act, eventId, token);
  const event = (await describeEvents(tx, [eventId], act.at, shownFields))[0] as Event | undefined;
  if (!event || event.status === 'draft') throw new Problem('not_found');
  const until = entry?.status === 'offered' && entry.expiresAt ? toWallClock(new Date(entry.expiresAt), event.timezone) : null;
  return {
    kind: 'waiting',
    view: viewOf(entry, event.status, act.at),
    eventId,
    event: { title: event.title, path: `/event/${event.link}` },
    item: entry?.itemName ?? null,
    quantity: entry?.quantity ?? 0,
    position: entry?.position ?? null,
    until,
    token,
    hasChanged,
  };
}

function viewOf(entry: Entry | null, event: Event['status'], at: Date): WaitingPage['view'] {
  if (event === 'cancelled') return 'cancelled';
  if (entry === null) return 'sent';
  const isTooLate = entry.status === 'unconfirmed' && entry.expiresAt !== null && new Date(entry.expiresAt) <= at;
  return isTooLate ? 'expired' : entry.status;
}
