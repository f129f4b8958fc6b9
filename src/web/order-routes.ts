import { orderCookie, orderSecretIn } from '../http/order-credential.ts';
import type { PageResponse } from '../http/page-routes.ts';
import { Problem } from '../kernel/problem.ts';
import { openOrderSession } from '../orders/order-access.ts';
import { orderActions } from './order-actions.ts';
import { type OrderNotice, orderNotices } from './order-contract.ts';
import { type OrderChoice, readOrderPage } from './order-page.ts';
import { seeOther } from './redirect.ts';
import { idOf, type ShopRequest } from './shop-request.ts';

/** Shows an order. A link from a mail has a token, which moves into a cookie, so that it does not stay in the address. */
export async function showOrder(to: ShopRequest): Promise<PageResponse> {
  const { query } = to.request;
  const id = idOf(to.request);
  const token = query.token ?? query.secret;
  return helpIfUnknown(to, async () => {
    if (token) return openWithToken(to, id, token);
    const notice = orderNotices.find((each): each is OrderNotice => each === query.notice) ?? null;
    return render(to, { id, changesBuyer: query.change === 'buyer', notice }, 200);
  });
}

async function openWithToken({ shop, edge, act, locale }: ShopRequest, id: number, token: string): Promise<PageResponse> {
  await edge.read((tx) => openOrderSession(tx, act, id, token));
  const headers = { 'set-cookie': orderCookie(id, token, shop.origin), 'referrer-policy': 'no-referrer' };
  return seeOther(`/${locale}/orders/${id}`, headers);
}

/** Does what a form of the page asks for. Then the browser loads the page again, so that a reload does not send the form twice. */
export async function changeOrder(to: ShopRequest): Promise<PageResponse> {
  const { edge, act, locale, request } = to;
  const id = idOf(request);
  const action = orderActions.get(request.form.get('do') ?? '');
  return helpIfUnknown(to, async () => {
    if (!action) throw new Problem('invalid_input', 'This page has no such form.');
    const result = await action({ edge, act, locale, id, secret: secretOf(to, id), form: request.form });
    if ('refused' in result) return render(to, { id, changesBuyer: true, notice: null, refused: result.refused }, result.status);
    const query = new URLSearchParams({
      ...(result.notice && { notice: result.notice }),
      ...(result.changesBuyer && { change: 'buyer' }),
    }).toString();
    return seeOther(`/${locale}/orders/${id}${query === '' ? '' : `?${query}`}`);
  });
}

function secretOf({ shop, request }: ShopRequest, id: number): string {
  const secret = orderSecretIn(request.cookies, id, shop.origin);
  if (secret === undefined) throw new Problem('not_found');
  return secret;
}

async function render(to: ShopRequest, choice: Omit<OrderChoice, 'secret'>, status: number): Promise<PageResponse> {
  const { shop, edge, act, locale } = to;
  const secret = secretOf(to, choice.id);
  const page = await edge.read((tx) => readOrderPage(tx, act, shop.listMethods, { ...choice, secret }));
  const hasComponent = Boolean(page.payment?.script);
  return shop.render(edge, { locale, path: `/orders/${choice.id}` }, page, { status, isPrivate: true, hasComponent });
}

/** Orders of others, and links that no longer work, look the same. The page says how to get to the tickets. */
async function helpIfUnknown({ shop, locale, act }: ShopRequest, work: () => Promise<PageResponse>): Promise<PageResponse> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    return shop.renderAlone({ locale, path: '/' }, { kind: 'problem', problem: 'order', requestId: act.requestId }, 404);
  }
}
