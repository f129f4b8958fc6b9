import type { PageEdge, PageRequest, PageResponse } from '../http/page-routes.ts';
import type { Act } from '../kernel/act.ts';
import type { Locale } from '../kernel/locale.ts';
import { Problem } from '../kernel/problem.ts';
import type { NewOrder, PlacedOrder } from '../orders/contract.ts';
import type { Refusal } from './contract.ts';
import { readEventPage } from './event-page.ts';
import { orderCookie } from './order-cookie.ts';
import type { Shop } from './shop.ts';

/**
 * Places the order that the form of the event page asks for, with the operation that the API uses too. Then the browser is sent to the page of
 * the order, and a cookie gives it access. If the order is refused, the event page is shown again with the reason and the chosen quantities.
 */
export async function placeOrder(shop: Shop, edge: PageEdge, act: Act, locale: Locale, { form }: PageRequest): Promise<PageResponse> {
  const order = readForm(form);
  if (order.items.length === 0) return refuse(shop, edge, act, locale, order, refusal('empty'), 422);
  const response = await edge
    .perform('createOrder', { ...act, operation: 'createOrder', locale }, { body: order })
    .catch((error: unknown) => {
      if (error instanceof Problem) return { status: error.status, body: JSON.stringify(error.describe(act.requestId)) };
      throw error;
    });
  const answer = JSON.parse(response.body ?? '{}') as PlacedOrder & ProblemBody;
  if (response.status !== 201) return refuse(shop, edge, act, locale, order, refusalOf(answer), response.status);
  return {
    status: 303,
    headers: { location: `/${locale}/orders/${answer.id}`, 'set-cookie': orderCookie(answer, shop.isSecure), 'cache-control': 'no-store' },
    body: '',
  };
}

interface ProblemBody {
  code?: string;
  errors?: { field: string; code: string }[];
  lines?: { name: string; remaining?: number }[];
  challenge?: unknown;
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

function refusalOf({ code, errors = [], lines = [], challenge }: ProblemBody): Refusal {
  switch (code) {
    case 'sold_out':
      return refusal('sold_out', { lines: lines.map(({ name, remaining = 0 }) => ({ name, remaining })) });
    case 'not_on_sale':
      return refusal('not_on_sale');
    case 'challenge_required':
      return refusal('challenge', { challenge });
    case 'overloaded':
    case 'rate_limited':
      return refusal('busy');
    case 'rule_violation':
    case 'invalid_input':
      if (errors.some(({ field }) => field === 'sessionId')) return refusal('session');
      return refusal(errors.some(({ field, code }) => field === 'items' && code === 'maximum') ? 'too_many' : 'rule');
    default:
      return refusal('other');
  }
}

function refuse(
  shop: Shop,
  edge: PageEdge,
  act: Act,
  locale: Locale,
  order: NewOrder,
  refusal: Refusal,
  status: number,
): Promise<PageResponse> {
  const chosen = Object.fromEntries(order.items.map(({ itemId, quantity }) => [itemId, quantity]));
  return edge.readAndCount(async (tx) => {
    const page = await readEventPage(tx, act, String(order.eventId), {
      locale,
      origin: shop.origin,
      session: order.sessionId === undefined ? undefined : String(order.sessionId),
      passkey: order.passkey,
      refused: { refusal, chosen },
    });
    return shop.render(tx, { locale, path: `/event/${page.link}` }, page, { status, isPrivate: true });
  });
}
