import { describe, expect, it } from 'vitest';
import { errorOf, eventRequests } from '../../test/event-requests.ts';
import { useWorld } from '../../test/harness.ts';
import type { Producer } from '../accounts/producer-contract.ts';
import type { Event } from '../events/event-schemas.ts';

const world = useWorld();
const { fresh, get, post, published } = eventRequests(world);
const idsIn = (path: string) => get(path).then((answer) => answer.json<{ data: Event[] }>().data.map(({ id }) => id));

const profile = {
  description: 'Shows e teatro.\nDesde 2009.',
  links: [
    { kind: 'instagram', url: 'https://www.instagram.com/first' },
    { kind: 'website', url: 'https://first.test:8443/?a=b#c' },
  ],
  logo: 'https://images.test/logo.png',
};
const update = (body: object) => world.call('PUT', `/producers/${world.producer}`, { as: 'manager', body });

describe('GET /producer/{id}', () => {
  it('returns the profile that owners and managers write, and nothing that only members may read', async () => {
    expect((await update(profile)).json()).toMatchObject({ ...profile, name: 'First', currency: 'BRL' });
    expect((await get(`/producer/${world.producer}`)).json()).toEqual({ id: world.producer, name: 'First', ...profile, picture: null });
    await update({ links: [], description: null });
    expect((await get(`/producer/${world.producer}`)).json()).toMatchObject({ description: null, links: [], logo: profile.logo });
  });

  it('returns 404 for a producer that has published nothing, as for an unknown producer', async () => {
    const body = { name: 'Quiet', owner: { email: world.emails.stranger } };
    const { id } = (await world.call('POST', '/producers', { as: 'admin', body })).json<Producer>();
    for (const hidden of [id, world.missing, 0, 'x']) {
      for (const path of [`/producer/${hidden}`, `/producer/${hidden}/events`]) expect((await get(path)).statusCode).toBe(404);
    }
    expect((await post(fresh('Only a plan', { producerId: id }), 'stranger')).statusCode).toBe(201);
    expect((await get(`/producer/${id}`)).statusCode).toBe(404);
  });

  it('PUT /producers/{id} returns 400 for a link that is not HTTPS or hides its host', async () => {
    for (const url of [
      'http://first.test',
      'javascript:alert(1)',
      'https://instagram.com@evil.test/',
      'https://',
      'https://x.test/<script>',
      '//x.test',
    ]) {
      expect(errorOf(await update({ links: [{ kind: 'website', url }] }))).toEqual([400, 'links[0].url', 'pattern']);
    }
    const link = { kind: 'other', url: 'https://x.test' };
    expect(errorOf(await update({ links: Array.from({ length: 11 }, () => link) }))).toEqual([400, 'links', 'maxItems']);
    expect(errorOf(await update({ links: [{ ...link, kind: 'fax' }] }))).toEqual([400, 'links[0].kind', 'enum']);
  });
});

describe('GET /producer/{id}/events', () => {
  it('lists published events that have not finished, by date, page by page', async () => {
    const path = `/producer/${world.producer}/events`;
    const later = await published('Later');
    const hidden = await published('By invitation', {}, true);
    expect(await idsIn(path)).toEqual([world.event, world.siblingEvent, later]);
    expect(await idsIn(path)).not.toContain(hidden);
    const first = (await get(`${path}?pageSize=2&count=true`)).json<{ data: Event[]; nextCursor: string; total: number }>();
    expect(first).toMatchObject({ total: 3, data: [{ id: world.event, subtitle: null }, { id: world.siblingEvent }] });
    expect(await idsIn(`${path}?pageSize=2&cursor=${first.nextCursor}`)).toEqual([later]);
    world.now = new Date('2026-06-02T12:00:00Z');
    expect(await idsIn(path)).toEqual([later]);
  });

  it('returns 400 for a cursor of another list', async () => {
    expect(errorOf(await get(`/producer/${world.producer}/events?cursor=WzFd`))).toEqual([400, 'cursor', 'cursor']);
  });
});
