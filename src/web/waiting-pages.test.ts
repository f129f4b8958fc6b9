import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { waitingListOf } from '../../test/waiting-list.ts';

const world = useWorld();
const shop = shopOf(world);
const list = waitingListOf(world);

const get = (path: string) => world.app.inject({ method: 'GET', url: path });
const post = (path: string, fields: Record<string, string>) =>
  world.app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });

describe('the waiting list in the shop', () => {
  it('has a form on the page of an event while something is sold out, unless the event has no waiting list', async () => {
    const eventPage = async () => (await get('/en/event/first-event')).body;
    expect(await eventPage()).not.toContain('id="waiting-list"');
    const itemId = await shop.newItem({ item: { quantity: 1, name: 'Balcony' } });
    await shop.buy([{ itemId, quantity: 1 }]);
    expect(await eventPage()).toContain(`<option value="${itemId}">Balcony</option>`);
    await shop.write('PUT', `/event/${world.event}`, { waitingList: false });
    expect(await eventPage()).not.toContain('id="waiting-list"');
    await shop.write('PUT', `/event/${world.event}`, { waitingList: true });
  });

  it('leads without JavaScript from the form to the mail, and from its link to the place in the line and out again', async () => {
    const itemId = await shop.newItem({ item: { quantity: 1, name: 'Stalls' } });
    const order = await shop.buy([{ itemId, quantity: 1 }]);
    const path = `/en/event/${world.event}/waiting-list`;
    const wish = { itemId: String(itemId), quantity: '1', email: 'ana@people.test' };
    const sent = await post(path, wish);
    expect([sent.statusCode, sent.headers.location]).toEqual([303, `/en/waiting-list/${world.event}`]);
    expect((await get(String(sent.headers.location))).body).toContain('Check your mail');

    const [mail] = await list.mails();
    const page = `/en/waiting-list/${world.event}?token=${list.tokenIn(mail as never)}`;
    const opened = await get(page);
    expect(opened.body).toContain('Confirm my place');
    expect(opened.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const token = list.tokenIn(mail as never);
    const act = (what: string) => post(`/en/waiting-list/${world.event}`, { do: what, token });
    const confirmed = await act('confirm');
    expect([confirmed.statusCode, confirmed.headers.location]).toEqual([303, page]);
    expect((await get(page)).body).toContain('You are number 1 in line');

    await shop.refund(order);
    await list.serve();
    expect((await get(page)).body).toContain('Your tickets are held for you until');
    const toOrder = await act('order');
    expect([toOrder.statusCode, toOrder.headers.location]).toEqual([303, expect.stringMatching(/^\/en\/orders\/\d+\?token=l\./)]);
    const ofOrder = await get(String(toOrder.headers.location));
    expect([ofOrder.statusCode, ofOrder.headers['set-cookie']]).toEqual([303, expect.stringMatching(/order-\d+=l\./)]);
    expect((await act('leave')).statusCode).toBe(303);
    expect((await get(page)).body).toContain('You are not on the list');
    expect((await act('order')).statusCode).toBe(409);
    expect((await act('confirm')).statusCode).toBe(409);
    const open = await post(path, wish);
    expect([open.statusCode, open.body.includes('these tickets are on sale again')]).toEqual([409, true]);
  });

  it('offers nothing any more when the event is cancelled', async () => {
    const itemId = await shop.newItem({ item: { eventId: world.siblingEvent, quantity: 1, name: 'Cancelled stalls' } });
    await shop.buy([{ itemId, quantity: 1 }], { eventId: world.siblingEvent });
    const joined = await post(`/en/event/${world.siblingEvent}/waiting-list`, {
      itemId: String(itemId),
      quantity: '1',
      email: 'late@people.test',
    });
    expect(joined.statusCode).toBe(303);
    const [mail] = await list.mails();
    const page = `/en/waiting-list/${world.siblingEvent}?token=${list.tokenIn(mail as never)}`;
    expect((await get(page)).body).toContain('Confirm my place');
    await shop.write('POST', `/event/${world.siblingEvent}/cancel`, { reason: 'Rain', refund: false });
    const { body } = await get(page);
    expect(body).toContain('The event was cancelled');
    expect(body).not.toContain('Confirm my place');
  });

  it('shows the form again with the reason if it is refused, and 404 for an unknown token', async () => {
    const itemId = await shop.newItem({ item: { quantity: 1 }, attributes: { maximum: 2 } });
    await shop.buy([{ itemId, quantity: 1 }]);
    const path = `/en/event/${world.event}/waiting-list`;
    const many = await post(path, { itemId: String(itemId), quantity: '3', email: 'many@people.test' });
    expect([many.statusCode, many.body.includes('Choose fewer tickets')]).toEqual([422, true]);
    expect(many.body).toContain('value="many@people.test"');
    const wrong = await post(path, { itemId: String(itemId), quantity: '1', email: 'no address' });
    expect([wrong.statusCode, wrong.body.includes('Check the quantity and the e-mail address')]).toEqual([400, true]);
    expect((await get(`/en/waiting-list/${world.event}?token=unknown`)).statusCode).toBe(404);
    for (const name of ['dance', 'constructor', '__proto__'])
      expect((await post(`/en/waiting-list/${world.event}`, { do: name, token: 'x' })).statusCode).toBe(400);
  });
});
