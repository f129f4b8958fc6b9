import { orderCookie } from '../http/order-credential.ts';
import type { PageEdge, PageRequest, PageResponse } from '../http/page-routes.ts';
import type { Act } from '../kernel/act.ts';
import type { Locale } from '../kernel/locale.ts';
import type { NewOrder } from '../orders/contract.ts';
import type { PlacedOrder } from '../orders/order-schemas.ts';
import { attempt, type ProblemBody } from './attempt.ts';
import type { Refusal } from './contract.ts';
import { readEventPage } from './event-page.ts';
import { admissionIn } from './queue-page.ts';
import { seeOther } from './redirect.ts';
import type { Shop } from './shop.ts';

/**
 * Places the order that the form of the event page asks for, with the operation that the API uses too. Then the browser is sent to the page of
 * the order, and a cookie gives it access. If the order is refused, the event page is shown again with the reason and the chosen quantities.
 */
export async function placeOrder(
  shop: Shop,
  edge: PageEdge,
  act: Act,
  locale: Locale,
  { form, cookies }: PageRequest,
): Promise<PageResponse> {
  const chosen = readForm(form);
  const admission = admissionIn(cookies, chosen.eventId, shop.origin);
  const order = admission === undefined ? chosen : { ...chosen, admission };
  if (order.items.length === 0) return refuse(shop, edge, act, locale, order, refusal('empty'), 422);
  const { status, body: answer } = await attempt<PlacedOrder>(edge, { ...act, locale }, 'createOrder', { body: order });
  if (answer.code === 'waiting_room') return seeOther(`/${locale}/event/${order.eventId}/queue`);
  if (status !== 201) return refuse(shop, edge, act, locale, order, refusalOf(answer), status);
  return seeOther(`/${locale}/orders/${answer.id}`, { 'set-cookie': orderCookie(answer.id, answer.secret, shop.origin) });
}

const maxLines = 50;

/** The quantities have names such as `item-42`. Fields that are empty or zero are left out. */
function readForm(form: URLSearchParams): NewOrder {
  const items = [...form].flatMap(([name, value]) => {
    const itemId = Number(/^item-(\d{1,15})$/.exec(name)?.[1] ?? 0);
    const quantity = Math.trunc(Number(value));
    return itemId > 0 && quantity > 0 && quantity <= 1_000 ? [{ itemId, quantity }] : [];
  });
  const [sessionId, passkey, challenge] = [Number(form.get('sessionId')), form.get('passkey'), form.get('challenge')];
  return {
    eventId: Number(form.get('eventId')),
    items: items.slice(0, maxLines),
    ...(sessionId > 0 && { sessionId }),
    ...(passkey && { passkey }),
    ...(challenge && { challenge }),
  };
}

const refusal = (reason: Refusal['reason'], more: Partial<Refusal> = {}): Refusal => ({ reason, lines: [], challenge: null, ...more });

/** The reasons by the code of the problem. */
const reasons: Readonly<Record<string, Refusal['reason']>> = {
  sold_out: 'sold_out',
  not_on_sale: 'not_on_sale',
  challenge_required: 'challenge',
  overloaded: 'busy',
  unavailable: 'busy',
  rate_limited: 'busy',
  rule_violation: 'rule',
  invalid_input: 'rule',
};

function refusalOf({ code = '', errors = [], lines = [], challenge }: ProblemBody): Refusal {
  const reason = reasons[code] ?? 'other';
  if (reason === 'rule' && errors.some(({ field }) => field === 'sessionId')) return refusal('session');
  if (reason === 'rule' && errors.some((error) => error.field === 'items' && error.code === 'maximum')) return refusal('too_many');
  const short = reason === 'sold_out' ? lines.map(({ name, remaining = 0 }) => ({ name, remaining })) : [];
  return refusal(reason, { lines: short, challenge });
}

async function refuse(
  shop: Shop,
  edge: PageEdge,
  act: Act,
  locale: Locale,
  order: NewOrder,
  refusal: Refusal,
  status: number,
): Promise<PageResponse> {
  const chosen = Object.fromEntries(order.items.map(({ itemId, quantity }) => [itemId, quantity]));
  const page = await readEventPage(edge, act, await shop.events.readNow(edge, act, order.eventId), {
    locale,
    origin: shop.origin,
    session: order.sessionId === undefined ? undefined : String(order.sessionId),
    passkey: order.passkey,
    isAdmitted: order.admission !== undefined,
    refused: { refusal, chosen },
  });
  return shop.render(edge, { locale, path: `/event/${page.link}` }, page, { status, isPrivate: true });
}
