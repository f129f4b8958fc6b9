import { describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import type { Caller } from '../../test/world.ts';
import type { Event } from '../events/event-schemas.ts';
import type { Cover, FeaturedEntry, HomeSection, HomeSettings, ManagedSection } from './contract.ts';

const world = useWorld();

const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, as: Caller | null = 'admin') =>
  world.call(method, path, { ...(as && { as }), ...(body && { body }) });
const read = async <T>(path: string): Promise<T> => (await ask('GET', path, undefined, null)).json<T>();

async function eventIn(state: string, publish = true): Promise<number> {
  const venue = { name: 'Hall', city: 'City', state };
  const body = { producerId: world.producer, title: `In ${state}`, category: 'music', timezone: 'UTC', venue };
  const { id } = (await ask('POST', '/event', body, 'owner')).json<Event>();
  await ask('POST', `/event/${id}/session`, { name: 'x', start: '2026-05-01 20:00:00', finish: '2026-05-01 23:00:00' }, 'owner');
  if (publish) await ask('POST', `/event/${id}/publish`, {}, 'owner');
  return id;
}

describe('/home/cover', () => {
  it('GET returns null for all fields at first, and PUT changes the fields that are present', async () => {
    const unset = { image: null, picture: null, title: null, target: null, eventId: null };
    expect(await read<Cover>('/home/cover')).toEqual(unset);
    const set = await ask('PUT', '/home/cover', { image: 'https://x.test/c.jpg', target: '/music' });
    expect(set.json()).toEqual({ ...unset, image: 'https://x.test/c.jpg', target: '/music' });
    expect(await auditOf(world, set)).toMatchObject([{ operation: 'setCover', before: unset }]);
    await ask('PUT', '/home/cover', { eventId: world.event, target: null });
    expect(await read<Cover>('/home/cover')).toEqual({ ...unset, image: 'https://x.test/c.jpg', eventId: world.event });
  });

  it('GET returns null for all fields while the event is private', async () => {
    const unset = { image: null, picture: null, title: null, target: null, eventId: null };
    const eventId = await eventIn('SP');
    await ask('PUT', '/home/cover', { eventId, title: 'Soon' });
    expect(await read<Cover>('/home/cover')).toMatchObject({ eventId, title: 'Soon' });
    await ask('POST', `/event/${eventId}/publish`, { private: true }, 'owner');
    expect(await read<Cover>('/home/cover')).toEqual(unset);
    await ask('POST', `/event/${eventId}/publish`, {}, 'owner');
    expect(await read<Cover>('/home/cover')).toMatchObject({ eventId, title: 'Soon' });
  });

  it('PUT keeps concurrent changes of different fields', async () => {
    const change = (title: string) => ask('PUT', '/home/cover', { title });
    const target = () => ask('PUT', '/home/cover', { target: '/both' });
    const title = 'At once';
    expect((await Promise.all([change(title), target()])).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect((await ask('PUT', '/home/cover', { image: null })).json()).toMatchObject({ title, target: '/both' });
  });

  it('PUT returns 400 for an unsafe target, and 422 for an event that is not published', async () => {
    for (const target of ['javascript:alert(1)', '//elsewhere.test', 'music'])
      expect((await ask('PUT', '/home/cover', { target })).statusCode).toBe(400);
    expect((await ask('PUT', '/home/cover', { eventId: await eventIn('SP', false) })).statusCode).toBe(422);
    expect((await ask('PUT', '/home/cover', { eventId: world.missing })).statusCode).toBe(422);
  });
});

describe('/featured', () => {
  it('GET returns events and banners by position, and filters by state in any case', async () => {
    const [sp, rj] = [await eventIn('SP'), await eventIn('RJ')];
    const add = async (body: object) => (await ask('POST', '/featured', body)).json<FeaturedEntry>();
    await add({ eventId: rj, position: 2, image: 'https://x.test/rj.jpg', target: '/event/rj' });
    await add({ eventId: sp, position: 1 });
    const everywhere = await add({ image: 'https://x.test/all.jpg', target: 'https://x.test', position: 3 });
    await add({ image: 'https://x.test/sp.jpg', state: 'sp', position: 4 });

    const ids = async (path: string) => (await read<{ data: Event[] }>(path)).data.map(({ id }) => id);
    expect(await ids('/featured')).toEqual([sp, rj]);
    expect(await ids('/featured?method=events&state=rj')).toEqual([rj]);
    expect((await read<{ data: Event[] }>('/featured?fields=id,title&state=SP')).data).toEqual([{ id: sp, title: 'In SP' }]);
    const images = async (path: string) => (await read<{ data: { image: string }[] }>(path)).data.map(({ image }) => image.slice(15, -4));
    expect((await read<{ data: object[] }>('/featured?method=banner')).data[0]).toEqual({
      image: 'https://x.test/rj.jpg',
      picture: null,
      target: '/event/rj',
      eventId: rj,
    });
    expect(await images('/featured?method=banner')).toEqual(['rj', 'all', 'sp']);
    expect(await images('/featured?method=banner&state=SP')).toEqual(['all', 'sp']);

    await ask('POST', `/event/${sp}/publish`, { private: true }, 'owner');
    expect(await ids('/featured')).toEqual([rj]);
    expect((await ask('PUT', `/featured/${everywhere.id}`, { position: 0 })).json<FeaturedEntry>()).toEqual({ ...everywhere, position: 0 });
    expect((await ask('DELETE', `/featured/${everywhere.id}`)).statusCode).toBe(204);
    expect(await images('/featured?method=banner')).toEqual(['rj', 'sp']);
    expect((await ask('GET', '/featured/entries')).json<{ data: FeaturedEntry[] }>().data).toHaveLength(3);
  });

  it('GET returns 400 for an unknown method and names the known methods', async () => {
    const answer = await ask('GET', '/featured?method=top', undefined, null);
    expect(answer.json()).toMatchObject({ status: 400, errors: [{ field: 'method', message: 'must be one of events, banner' }] });
    expect((await ask('GET', '/featured?state=S', undefined, null)).statusCode).toBe(400);
  });

  it('PUT and DELETE return 404 for an unknown entry, and POST returns 422 without eventId, image and target', async () => {
    expect((await ask('PUT', `/featured/${world.missing}`, { position: 1 })).statusCode).toBe(404);
    expect((await ask('DELETE', `/featured/${world.missing}`)).statusCode).toBe(404);
    expect((await ask('POST', '/featured', { position: 1 })).statusCode).toBe(422);
  });
});

describe('/home/sections', () => {
  it('GET returns sections and their events in order, without finished or unpublished events', async () => {
    const [first, second] = [await eventIn('SP'), await eventIn('RJ')];
    const later = (await ask('POST', '/home/sections', { title: 'Later', position: 2, eventIds: [second] })).json<ManagedSection>();
    const made = await ask('POST', '/home/sections', { title: 'Esta Semana', position: 1, eventIds: [second, first] });
    expect(made.statusCode).toBe(201);
    expect(made.json()).toEqual({
      id: expect.any(Number),
      title: 'Esta Semana',
      slug: 'esta-semana',
      position: 1,
      eventIds: [second, first],
    });
    const { data } = await read<{ data: HomeSection[] }>('/home/sections');
    expect(data.map(({ title, events }) => [title, events.map(({ id }) => id)])).toEqual([
      ['Esta Semana', [second, first]],
      ['Later', [second]],
    ]);
    expect(Object.keys(data[0]?.events[0] ?? {}).toSorted()).toEqual([
      'category',
      'finish',
      'id',
      'link',
      'picture',
      'poster',
      'start',
      'subtitle',
      'timezone',
      'title',
      'venue',
    ]);
    await ask('POST', `/event/${second}/cancel`, {}, 'owner');
    expect((await read<{ data: HomeSection[] }>('/home/sections')).data.map(({ events }) => events.length)).toEqual([1, 0]);
    expect((await ask('DELETE', `/home/sections/${later.id}`)).statusCode).toBe(204);
    const { id } = made.json<ManagedSection>();
    const changed = await ask('PUT', `/home/sections/${id}`, { title: 'Hoje', eventIds: [] });
    expect(changed.json()).toEqual({ id, title: 'Hoje', slug: 'esta-semana', position: 1, eventIds: [] });
  });

  it('POST, PUT and DELETE return 403 to other roles, 404 for an unknown section, 409 for a duplicate slug, and 422 for an unpublished event', async () => {
    expect((await ask('POST', '/home/sections', { title: 'x' }, 'owner')).statusCode).toBe(403);
    expect((await ask('PUT', `/home/sections/${world.missing}`, { title: 'x' })).statusCode).toBe(404);
    await ask('POST', '/home/sections', { title: 'Twice' });
    expect((await ask('POST', '/home/sections', { title: 'Twice' })).statusCode).toBe(409);
    expect((await ask('POST', '/home/sections', { title: 'New', eventIds: [world.missing] })).statusCode).toBe(422);
  });
});

describe('GET /home/settings', () => {
  it('returns the cover, the entries and the sections with the names of their events, also of those that are not shown', async () => {
    const eventId = await eventIn('AM');
    await ask('PUT', '/home/cover', { eventId, title: 'Amazon' });
    const { id } = (await ask('POST', '/featured', { eventId, position: 5 })).json<FeaturedEntry>();
    await ask('POST', '/home/sections', { title: 'North', eventIds: [eventId] });
    const settings = async () => (await ask('GET', '/home/settings')).json<HomeSettings>();
    expect((await settings()).events).toContainEqual({ id: eventId, title: 'In AM', isShown: true });
    await ask('POST', `/event/${eventId}/publish`, { private: true }, 'owner');
    const { cover, featured, sections, events } = await settings();
    expect(cover).toMatchObject({ title: 'Amazon', eventId });
    expect(featured).toContainEqual(expect.objectContaining({ id, eventId, position: 5 }));
    expect(sections).toContainEqual(expect.objectContaining({ title: 'North', eventIds: [eventId] }));
    expect(events).toContainEqual({ id: eventId, title: 'In AM', isShown: false });
  });
});

describe('the period of a featured entry', () => {
  const hour = (hours: number): string => new Date(world.now.getTime() + hours * 3_600_000).toISOString();

  it('decides when the home page shows the event and the banner', async () => {
    const eventId = await eventIn('AC');
    const image = 'https://x.test/period.jpg';
    const showing = async () => {
      const [events, banners] = [
        await read<{ data: Event[] }>('/featured?state=AC'),
        await read<{ data: { image: string }[] }>('/featured?method=banner&state=AC'),
      ];
      return [events.data.some(({ id }) => id === eventId), banners.data.some((banner) => banner.image === image)];
    };
    const { id } = (await ask('POST', '/featured', { eventId, image, showFrom: hour(1) })).json<FeaturedEntry>();
    expect(await showing()).toEqual([false, false]);
    const change = async (period: object) => (await ask('PUT', `/featured/${id}`, period)).statusCode;
    expect(await change({ showFrom: hour(0), showUntil: hour(1) })).toBe(200);
    expect(await showing()).toEqual([true, true]);
    expect(await change({ showFrom: null, showUntil: hour(-1) })).toBe(200);
    expect(await showing()).toEqual([false, false]);
    expect(await change({ showFrom: null, showUntil: null })).toBe(200);
    expect(await showing()).toEqual([true, true]);
  });

  it('returns 422 if it ends before it starts', async () => {
    const answer = await ask('POST', '/featured', { target: '/music', showFrom: hour(2), showUntil: hour(1) });
    expect([answer.statusCode, answer.json().errors[0].field]).toEqual([422, 'showUntil']);
  });
});
