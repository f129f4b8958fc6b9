import type { LightMyRequestResponse } from 'fastify';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';

const origin = 'https://tickets.example';
const world = useWorld({ PUBLIC_URL: origin });
const shop = shopOf(world);

let draft: { id: number; link: string };
let otherDraft: { id: number; link: string };
const basics = () => ({ producerId: world.producer, category: 'music', timezone: 'America/Sao_Paulo' });

beforeAll(async () => {
  draft = await shop.write('POST', '/event', { ...basics(), title: 'Not yet' });
  otherDraft = await shop.write('POST', '/event', { ...basics(), title: 'Another draft' });
  const sessionIds: number[] = [];
  for (const name of ['First', 'Second']) {
    const times = { start: '2026-06-02 20:00:00', finish: '2026-06-02 23:00:00' };
    sessionIds.push((await shop.write('POST', `/event/${draft.id}/session`, { name, ...times })).id);
  }
  await shop.newItem({ item: { eventId: draft.id, sessionIds } });
});

afterEach(() => {
  world.now = noon;
});

const open = (url: string): Promise<LightMyRequestResponse> => world.app.inject({ url: url.replace(origin, '') });
const preview = (id: number, body: object = {}) => world.call('POST', `/event/${id}/preview`, { as: 'crew_admin', body });
const linkOf = async (id: number, body: object = {}): Promise<string> =>
  (await world.call('POST', `/event/${id}/preview`, { as: 'owner', body })).json().link;

describe('POST /event/{id}/preview', () => {
  it('returns a link that opens the page of a draft for an hour, with a banner and without any cache', async () => {
    const answer = await world.call('POST', `/event/${draft.id}/preview`, { as: 'owner', body: { locale: 'en' } });
    const { link, expiresAt } = answer.json();
    expect([answer.statusCode, expiresAt]).toEqual([201, minutesAfterNoon(60).toISOString()]);
    expect(link).toMatch(new RegExp(`^${origin}/en/event/not-yet\\?preview=`));
    expect(await auditOf(world, answer)).toMatchObject([{ operation: 'createPreview', on: `preview ${draft.id}`, after: { expiresAt } }]);

    expect((await open(`/en/event/${draft.link}`)).statusCode).toBe(404);
    for (let i = 0; i < 2; i++) {
      const page = await open(link);
      expect([page.statusCode, page.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(page.body).toContain('The event is a draft.');
      expect(page.body).not.toContain('The sale has ended');
      expect(page.body).toMatch(/class="ticket open"/);
      expect(page.body).toContain('R$55.00');
      expect(page.body).toMatch(/<button[^>]*type="submit"[^>]*disabled/);
      expect(page.body).toContain('<meta name="robots" content="noindex"');
      expect(page.body).not.toContain('rel="canonical"');
    }
    expect((await open(`/en/event/${draft.link}`)).statusCode).toBe(404);
    world.now = minutesAfterNoon(60);
    expect((await open(link)).statusCode).toBe(404);
  });

  it('keeps the token in the links of the page: other sessions, other languages and the link of the event', async () => {
    const link = await linkOf(draft.id);
    const token = new URL(link).searchParams.get('preview') ?? '';
    const { body } = await open(link);
    const links = [...body.matchAll(/href="([^"]*\/event\/not-yet[^"]*)"/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'));
    expect(links.filter((address) => address.includes('session='))).toHaveLength(2);
    expect(links.filter((address) => !address.includes(token))).toEqual([]);
    const byId = await open(`/en/event/${draft.id}?preview=${token}`);
    expect([byId.statusCode, byId.headers.location]).toEqual([302, `/en/event/not-yet?preview=${token}`]);
  });

  it('opens no other draft, and a changed token opens nothing', async () => {
    const token = new URL(await linkOf(draft.id)).searchParams.get('preview') ?? '';
    const [expires = '', signature = ''] = token.split('.');
    const later = `${Number(expires) + 1}.${signature}`;
    const tokens = [later, `${expires}.${signature.toLowerCase()}`, expires, 'x', `${token}x`];
    for (const wrong of tokens) expect((await open(`/en/event/not-yet?preview=${wrong}`)).statusCode).toBe(404);
    expect((await open(`/en/event/${otherDraft.link}?preview=${token}`)).statusCode).toBe(404);
    expect((await open(`/en/event/not-yet?preview=${token}`)).statusCode).toBe(200);
  });

  it('does not open the tickets of the draft in the API, and nobody can order them', async () => {
    await linkOf(draft.id);
    expect((await world.call('GET', `/event/${draft.id}/tickets`)).statusCode).toBe(404);
    const { data } = (await world.call('GET', `/items?eventId=${draft.id}`, { as: 'owner' })).json();
    expect((await shop.place([{ itemId: data[0].id, quantity: 1 }], { eventId: draft.id })).statusCode).toBeGreaterThanOrEqual(400);
  });

  it('of a published event shows the page with a banner that says so, and does not put it into the cache of the public page', async () => {
    const page = await open((await preview(world.event, { locale: 'en' })).json().link);
    expect(page.body).toContain('The event is published');
    const shown = await open('/en/event/first-event');
    expect([shown.statusCode, shown.body.includes('The event is published')]).toEqual([200, false]);
  });
});

describe('GET /event/{id}/checklist', () => {
  const read = async (id: number): Promise<Record<string, boolean>> => {
    const { data } = (await world.call('GET', `/event/${id}/checklist`, { as: 'owner' })).json();
    return Object.fromEntries(data.map(({ code, done }: { code: string; done: boolean }) => [code, done]));
  };
  const open = (done: Record<string, boolean>) => Object.keys(done).filter((code) => !done[code]);

  it('lists what is missing, and entries are done as the event is filled in', async () => {
    const { id } = await shop.write('POST', '/event', { ...basics(), title: 'Empty' });
    const everything = ['session', 'future_session', 'items', 'prices', 'sales_periods', 'description', 'poster', 'venue', 'payout'];
    expect(open(await read(id)).toSorted()).toEqual(everything.toSorted());
    expect((await world.call('POST', `/event/${id}/publish`, { as: 'owner', body: {} })).statusCode).toBe(422);

    await shop.write('POST', `/event/${id}/session`, { name: 'Night', start: '2026-06-02 20:00:00', finish: '2026-06-02 23:00:00' });
    const item = await shop.write('POST', '/items', { eventId: id, name: 'Seat' });
    expect(await read(id)).toMatchObject({ session: true, future_session: true, items: true, prices: false, sales_periods: false });
    await shop.write('POST', `/items/${item.id}/values`, { price: 100, feeSale: 0, feeProducer: 0 });
    const period = { start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 5 };
    await shop.write('POST', `/items/${item.id}/sales-period`, { appCategoryId: 1, ...period });
    await shop.write('POST', '/items', { eventId: id, name: 'Group', type: 'group' });
    const texts = { description: '<p>Text</p>', poster: 'https://pictures.test/1.jpg', venue: { name: 'Hall' } };
    await shop.write('PUT', `/event/${id}`, texts);
    expect(open(await read(id))).toEqual(['payout']);
    await shop.write('PUT', `/event/${id}`, { saleEnabled: false });
    const { sessions } = (await world.call('GET', `/event/${id}`, { as: 'owner' })).json();
    const past = { start: '2026-01-02 20:00:00', finish: '2026-01-02 23:00:00' };
    await shop.write('PUT', `/event/${id}/session/${sessions[0].id}`, past);
    expect(open(await read(id))).toEqual(['future_session', 'sale_enabled', 'payout']);
  });
});
