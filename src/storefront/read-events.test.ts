import { beforeAll, describe, expect, it } from 'vitest';
import { errorOf, eventRequests } from '../../test/event-requests.ts';
import { useWorld } from '../../test/harness.ts';
import type { Caller } from '../../test/world.ts';
import type { Event } from '../events/event-schemas.ts';

const world = useWorld();
const { get, create, published } = eventRequests(world);

describe('GET /event/{id}', () => {
  let draft: number;
  let secret: number;
  let cancelled: number;
  beforeAll(async () => {
    draft = (await create('Only a plan', { link: 'a-draft' })).id;
    secret = await published('By invitation', { link: 'a-secret' }, true);
    cancelled = await published('Rained off', { link: 'rained-off' });
    await world.call('POST', `/event/${cancelled}/cancel`, { as: 'owner' });
  });
  const pages = (id: number) => ['', '/tickets', '/attributes'].map((rest) => `/event/${id}${rest}`);

  it('returns 200 to anyone for published, private and cancelled events, by id and by link', async () => {
    for (const id of [world.event, secret, cancelled]) {
      for (const path of pages(id)) expect((await get(path)).statusCode).toBe(200);
    }
    for (const link of ['first-event', 'a-secret', 'rained-off']) {
      expect((await get(`/event?method=identify&link=${link}`)).statusCode).toBe(200);
    }
    expect((await get(`/event/${cancelled}`)).json<Event>().status).toBe('cancelled');
  });

  it('returns 200 for a draft to callers who manage it', async () => {
    for (const as of ['admin', 'owner', 'manager'] as const) {
      for (const path of pages(draft)) expect((await get(path, as)).statusCode).toBe(200);
    }
  });

  it('returns 404 for a draft to other callers, and for an unknown event', async () => {
    for (const as of [undefined, 'stranger', 'otherOwner', 'crew_admin'] as const) {
      for (const path of pages(draft)) expect((await get(path, as)).statusCode).toBe(404);
      expect((await get('/event?method=identify&link=a-draft', as)).statusCode).toBe(404);
    }
    for (const id of [world.missing, 0, '1e3', 'first-event', '99999999999999999999'])
      expect((await get(`/event/${id}`)).statusCode).toBe(404);
    expect((await get('/event?method=identify&link=no-such')).statusCode).toBe(404);
  });

  it('returns 404 for a draft to an API token without the permission event.read', async () => {
    const token = (permissions: string[]) => world.call('POST', '/auth/tokens', { as: 'owner', body: { name: 't', permissions } });
    const [weak, strong] = [await token(['crew.read']), await token(['event.read'])].map(
      (answer) => answer.json<{ token: string }>().token,
    );
    expect((await world.call('GET', `/event/${draft}`, { token: weak ?? '' })).statusCode).toBe(404);
    expect((await world.call('GET', `/event/${draft}`, { token: strong ?? '' })).statusCode).toBe(200);
  });

  it('search results of GET /event and GET /{category} do not contain drafts, private and cancelled events', async () => {
    for (const path of ['/event?pageSize=200', '/music?pageSize=200', '/event?term=invitation', '/event?term=plan', '/event?term=rained']) {
      const ids = (await get(path)).json<{ data: Event[] }>().data.map(({ id }) => id);
      for (const hidden of [draft, secret, cancelled]) expect(ids).not.toContain(hidden);
    }
  });

  it('GET /events returns events in any status to callers who manage them', async () => {
    const ids = async (query: string, as: Caller) =>
      (await get(`/events?pageSize=200&${query}`, as)).json<{ data: Event[] }>().data.map(({ id }) => id);
    expect(await ids('', 'owner')).toEqual(expect.arrayContaining([draft, secret, cancelled, world.event, world.siblingEvent]));
    expect(await ids('', 'owner')).not.toContain(world.foreignEvent);
    expect(await ids('', 'crew_sales_operator')).toEqual([world.event]);
    expect(await ids('', 'stranger')).toEqual([]);
    expect(await ids('status=draft&term=plan', 'owner')).toEqual([draft]);
    expect(await ids('status=draft&term=pla', 'owner')).toEqual([draft]);
    expect(await ids('status=draft&term=lan', 'owner')).toEqual([]);
    expect(await ids(`producerId=${world.otherProducer}`, 'admin')).toEqual([world.foreignEvent]);
    expect((await get(`/events?producerId=${world.otherProducer}`, 'owner')).statusCode).toBe(404);
    const { data: categories } = (await get('/categories')).json<{ data: { id: number; slug: string }[] }>();
    for (const { id, slug } of categories) {
      const inCategory = (await get(`/events?pageSize=200&categoryId=${id}&count=true`, 'admin')).json<{ data: Event[]; total: number }>();
      expect(inCategory.data.filter(({ category }) => category !== slug)).toEqual([]);
      expect(inCategory.total).toBe(inCategory.data.length);
    }
    expect((await get('/events')).statusCode).toBe(401);
  });
});

describe('GET /event?method=identify', () => {
  it('returns only the fields in `fields`, with spaces trimmed', async () => {
    const answer = await get('/event?method=identify&link=first-event&fields=%20title%20,id,,');
    expect(answer.json()).toEqual({ id: world.event, title: 'first-event' });
    expect((await get(`/event/${world.event}?fields=venue`)).json()).toEqual({ venue: expect.objectContaining({ city: 'São Paulo' }) });
  });

  it('returns an ETag, and 304 when If-None-Match has it', async () => {
    const { headers } = await get(`/event/${world.event}`);
    expect((await world.call('GET', `/event/${world.event}`, { headers: { 'if-none-match': String(headers.etag) } })).statusCode).toBe(304);
  });

  it('returns 400 for an unknown method, for a missing link, and for an unknown field, with the names of the known fields', async () => {
    expect(errorOf(await get('/event?method=search&link=first-event'))).toEqual([400, 'method', 'enum']);
    expect(errorOf(await get('/event?method=identify'))).toEqual([400, 'link', 'required']);
    for (const path of [
      '/event?method=identify&link=first-event&fields=id,nope',
      `/event/${world.event}?fields=nope`,
      '/event?fields=nope',
      '/music?fields=nope',
    ]) {
      const answer = await get(path);
      expect(errorOf(answer)).toEqual([400, 'fields', 'unknown']);
      expect(answer.json<{ allowed: string[] }>().allowed).toContain('venue');
    }
  });
});
