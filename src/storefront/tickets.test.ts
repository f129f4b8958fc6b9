import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { statementsOf } from '../../test/statements.ts';
import { noon } from '../../test/world.ts';
import type { Item } from '../catalog/item-schemas.ts';
import type { Event } from '../events/event-schemas.ts';
import type { TicketGroup } from './contract.ts';

const world = useWorld();

const write = async <T = { id: number }>(method: 'POST' | 'PUT', path: string, body: object): Promise<T> => {
  const answer = await world.call(method, path, { as: 'owner', body });
  if (answer.statusCode >= 300) throw new Error(answer.body);
  return answer.json<T>();
};
const groups = async (path: string): Promise<TicketGroup[]> => (await world.call('GET', path)).json<{ data: TicketGroup[] }>().data;
const names = (found: TicketGroup[]) => found.map(({ name, tickets }) => [name, ...tickets.map((ticket) => ticket.name)]);

const period = { appCategoryId: 1, start: '2026-02-01 10:00:00', finish: '2026-06-30 20:00:00', available: 1000 };

async function sell(eventId: number, item: object, price = 5000): Promise<number> {
  const { id } = await write('POST', '/items', { eventId, ...item });
  await write('POST', `/items/${id}/values`, { price, feeSale: 500, feeProducer: 0 });
  await write('POST', `/items/${id}/sales-period`, period);
  return id;
}

async function newEvent(title: string, sessions = 1): Promise<{ id: number; sessions: number[] }> {
  const { id } = await write('POST', '/event', { producerId: world.producer, title, category: 'music', timezone: 'America/Sao_Paulo' });
  const made: number[] = [];
  for (let day = 1; day <= sessions; day++) {
    const times = { start: `2026-06-1${day} 20:00:00`, finish: `2026-06-1${day} 23:00:00` };
    made.push((await write('POST', `/event/${id}/session`, { name: `Day ${day}`, capacity: 50, ...times })).id);
  }
  await write('POST', `/event/${id}/publish`, {});
  return { id, sessions: made };
}

describe('GET /event/{id}/tickets', () => {
  let event: { id: number; sessions: number[] };
  beforeAll(async () => {
    event = await newEvent('Show', 2);
    const floor = (await write('POST', '/items', { eventId: event.id, name: 'Floor', type: 'group', position: 2, description: 'Standing' }))
      .id;
    await sell(event.id, { name: 'Second lot', parentId: floor, position: 2, quantity: 30 });
    await sell(event.id, { name: 'First lot', parentId: floor, position: 1, sessionIds: [event.sessions[0]] });
    await sell(event.id, { name: 'Balcão', position: 3, sessionIds: [event.sessions[1]] });
    await sell(event.id, { name: 'Box', position: 1 });
    await sell(event.id, { name: 'Guests', hidden: true });
    const secret = (await write('POST', '/items', { eventId: event.id, name: 'Backstage', type: 'group', hidden: true })).id;
    await sell(event.id, { name: 'Crew', parentId: secret });
    const gone = await sell(event.id, { name: 'Removed' });
    await write('PUT', `/items/${gone}`, { archived: true });
    await write('POST', `/items`, { eventId: event.id, name: 'Empty group', type: 'group' });
  });

  it('returns groups and items by position, without hidden or archived items and without empty groups', async () => {
    expect(names(await groups(`/event/${event.id}/tickets`))).toEqual([
      [null, 'Box', 'Balcão'],
      ['Floor', 'First lot', 'Second lot'],
    ]);
  });

  it('returns price, fee, final price, limits and sales period of each item', async () => {
    const floor = (await groups(`/event/${event.id}/tickets`))[1];
    expect(floor).toMatchObject({ id: expect.any(Number), description: 'Standing', status: 'available' });
    const lot = floor?.tickets[1];
    await write('POST', `/items/${lot?.id}/attributes`, { key: 'minimum', value: 2, type: 'integer' });
    await write('POST', `/items/${lot?.id}/attributes`, { key: 'maximum', value: 4, type: 'integer' });
    expect((await groups(`/event/${event.id}/tickets`))[1]?.tickets[1]).toEqual({
      id: lot?.id,
      name: 'Second lot',
      description: '',
      type: 'ticket',
      price: 5000,
      feeSale: 500,
      finalPrice: 5500,
      currency: 'BRL',
      status: 'available',
      hidden: false,
      minimum: 2,
      maximum: 4,
      start: period.start,
      finish: period.finish,
      remaining: null,
      sessionIds: [],
    });
  });

  it('returns only items valid in the session for /event/{id}/session/{sessionId}/tickets', async () => {
    expect(names(await groups(`/event/${event.id}/session/${event.sessions[0]}/tickets`))).toEqual([
      [null, 'Box'],
      ['Floor', 'First lot', 'Second lot'],
    ]);
  });

  it('does not count the capacity of a finished session, and returns finished when all sessions are over', async () => {
    const { id, sessions } = await newEvent('Two days', 2);
    const [first = 0, second = 0] = sessions;
    await sell(id, { name: 'Either day', sessionIds: sessions });
    await sell(id, { name: 'Any day' });
    await world.pool.query('update event_session set sold = capacity where id = $1', [second]);
    const statuses = async (path: string) => (await groups(`/event/${id}${path}`))[0]?.tickets.map(({ status }) => status);
    try {
      expect(await statuses('/tickets')).toEqual(['available', 'available']);
      world.now = new Date('2026-06-12T12:00:00Z');
      expect(await statuses('/tickets?after=1')).toEqual(['soldout', 'soldout']);
      expect(await statuses(`/session/${first}/tickets?after=1`)).toEqual(['finished', 'finished']);
      const { sessions: shown } = (await world.call('GET', `/event/${id}?after=1`)).json<Event>();
      expect(shown.map(({ status }) => status)).toEqual(['finished', 'soldout']);
      world.now = new Date('2026-06-13T12:00:00Z');
      expect(await statuses('/tickets?after=2')).toEqual(['finished', 'finished']);
    } finally {
      world.now = noon;
    }
  });

  it('filters by part of the name, in any case and without accents', async () => {
    expect(names(await groups(`/event/${event.id}/tickets?term=BALCAO`))).toEqual([[null, 'Balcão']]);
    expect(await groups(`/event/${event.id}/tickets?term=nothing`)).toEqual([]);
  });

  it('returns the sales period and status of the channel in appCategoryId', async () => {
    const box = (await groups(`/event/${event.id}/tickets?appCategoryId=2`))[0]?.tickets[0];
    expect(box).toMatchObject({ status: 'unavailable', start: null, finish: null });
    await write('POST', `/items/${box?.id}/sales-period`, { ...period, appCategoryId: 2, available: 7 });
    expect((await groups(`/event/${event.id}/tickets?appCategoryId=2`))[0]?.tickets[0]).toMatchObject({
      status: 'available',
      remaining: 7,
    });
  });

  it('returns 400 for an invalid channel', async () => {
    expect((await world.call('GET', `/event/${event.id}/tickets?appCategoryId=0`)).statusCode).toBe(400);
  });

  it('returns 404 for an unknown event or session', async () => {
    for (const path of [`/event/${world.missing}/tickets`, `/event/${event.id}/session/${world.missing}/tickets`]) {
      expect((await world.call('GET', path)).statusCode).toBe(404);
    }
  });

  it('sends the same number of statements for many items as for one', async () => {
    const count = async () => (await statementsOf(() => world.call('GET', `/event/${event.id}/tickets`))).statements.length;
    const before = await count();
    for (let i = 0; i < 20; i++) await sell(event.id, { name: `More ${i}`, position: 50 });
    expect(await count()).toBe(before);
  });
});

describe('GET /event/{id}/tickets with a passkey', () => {
  it('returns only the hidden items of the passkey, and 403 with the reason when the passkey is not valid', async () => {
    const event = await newEvent('Secret');
    await sell(event.id, { name: 'For all' });
    const group = (await write('POST', '/items', { eventId: event.id, name: 'Backstage', type: 'group', hidden: true, position: 9 })).id;
    const inside = await sell(event.id, { name: 'Inside', parentId: group, hidden: true });
    await sell(event.id, { name: 'Still hidden', hidden: true });
    const { id } = await write('POST', '/passkeys', { eventId: event.id, passkey: 'Amigos', start: '2026-03-01', finish: '2026-03-10' });
    await write('PUT', `/passkeys/${id}/items`, { itemIds: [inside] });
    const listing = (passkey: string) => `/event/${event.id}/tickets?passkey=${passkey}`;
    expect(names(await groups(listing('%20amigos')))).toEqual([
      [null, 'For all'],
      ['Backstage', 'Inside'],
    ]);
    expect(names(await groups(`/event/${event.id}/session/${event.sessions[0]}/tickets?passkey=AMIGOS`))).toHaveLength(2);
    expect(names(await groups(`/event/${event.id}/tickets`))).toEqual([[null, 'For all']]);
    expect((await world.call('GET', listing('nothing'))).json()).toMatchObject({
      status: 403,
      code: 'passkey_rejected',
      reason: 'unknown',
    });
    expect((await world.call('GET', `/event/${world.event}/tickets?passkey=amigos`)).statusCode).toBe(403);
    world.now = new Date('2026-03-11T12:00:00Z');
    expect((await world.call('GET', listing('amigos'))).json()).toMatchObject({ status: 403, reason: 'late' });
    world.now = noon;
  });
});

describe('`remaining` of a ticket', () => {
  it('is returned when all limits together leave at most 20 tickets', async () => {
    const event = await newEvent('Stock');
    const item = await sell(event.id, { name: 'Seat', quantity: 30, sessionIds: event.sessions });
    const remaining = async () => (await groups(`/event/${event.id}/tickets`))[0]?.tickets[0]?.remaining;
    const sold = (n: number) => world.pool.query('update item set sold = $2 where id = $1', [item, n]);
    await sold(9);
    expect(await remaining()).toBeNull();
    await sold(10);
    expect(await remaining()).toBe(20);
    await world.pool.query('update event_session set sold = 47 where id = $1', [event.sessions[0]]);
    expect(await remaining()).toBe(3);
    await sold(30);
    expect((await groups(`/event/${event.id}/tickets`))[0]).toMatchObject({
      status: 'soldout',
      tickets: [{ status: 'soldout', remaining: 0 }],
    });
  });
});

describe('the status of a session', () => {
  const statuses = async (id: number) => (await world.call('GET', `/event/${id}`)).json<Event>().sessions.map(({ status }) => status);

  it('depends on its items and its own capacity', async () => {
    const { id, sessions } = await newEvent('Two nights', 2);
    expect(await statuses(id)).toEqual(['unavailable', 'unavailable']);
    await sell(id, { name: 'Any night', sessionIds: sessions });
    expect(await statuses(id)).toEqual(['available', 'available']);
    await world.pool.query('update event_session set sold = 50 where id = $1', [sessions[0]]);
    expect(await statuses(id)).toEqual(['soldout', 'available']);
    const [first, second] = await Promise.all(sessions.map((session) => groups(`/event/${id}/session/${session}/tickets`)));
    expect([first?.[0]?.status, second?.[0]?.status]).toEqual(['soldout', 'available']);
  });

  it('is finished when the session is over, even if another session of the same item is not', async () => {
    const { id, sessions } = await newEvent('Over and not', 2);
    await sell(id, { name: 'Any night', sessionIds: sessions });
    world.now = new Date('2026-06-12T03:00:00Z');
    try {
      expect(await statuses(id)).toEqual(['finished', 'available']);
    } finally {
      world.now = noon;
    }
  });

  it('is sold out for a passport when one of its sessions is sold out', async () => {
    const { id, sessions } = await newEvent('Passport', 2);
    await sell(id, { name: 'Both nights', type: 'passport', sessionIds: sessions });
    await world.pool.query('update event_session set sold = 50 where id = $1', [sessions[0]]);
    expect(await statuses(id)).toEqual(['soldout', 'soldout']);
  });

  it('is unavailable when the event is cancelled or its sale is disabled', async () => {
    const { id } = await newEvent('Off');
    await sell(id, { name: 'x' });
    await write('PUT', `/event/${id}`, { saleEnabled: false });
    expect(await statuses(id)).toEqual(['unavailable']);
    await write('PUT', `/event/${id}`, { saleEnabled: true });
    expect(await statuses(id)).toEqual(['available']);
    await write('POST', `/event/${id}/cancel`, {});
    expect(await statuses(id)).toEqual(['unavailable']);
    expect((await groups(`/event/${id}/tickets`))[0]?.tickets[0]?.status).toBe('unavailable');
  });

  it('is consistent with the status of items in GET /items', async () => {
    const { data } = (await world.call('GET', `/items?eventId=${world.event}`, { as: 'owner' })).json<{ data: Item[] }>();
    const shown = (await groups(`/event/${world.event}/tickets`)).flatMap(({ tickets }) => tickets);
    expect(shown.map(({ id, status }) => [id, status])).toEqual(data.map(({ id, status }) => [id, status]));
  });
});
