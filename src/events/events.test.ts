import { describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { errorOf, eventRequests, aSession as session } from '../../test/event-requests.ts';
import { useWorld } from '../../test/harness.ts';
import type { Caller } from '../../test/world.ts';
import type { InputError } from '../kernel/problem.ts';
import type { Event } from './event-schemas.ts';

const world = useWorld();
const { fresh, post, put, get, create, published } = eventRequests(world);

describe('POST /event', () => {
  it('creates a draft with all fields and writes an audit entry', async () => {
    const venue = { name: 'Casa', city: 'São Paulo', state: 'sp', country: 'br', location: { lat: -23.5, lng: -46.6 } };
    const poster = 'https://images.test/a.jpg';
    const answer = await post(
      fresh('Noite de São João!', { description: '<p>Oi<script>x</script></p>', poster, saleEnabled: false, venue }),
    );
    expect(answer.statusCode).toBe(201);
    const at = world.now.toISOString();
    expect(answer.json()).toEqual({
      id: expect.any(Number),
      title: 'Noite de São João!',
      subtitle: null,
      link: 'noite-de-sao-joao',
      description: '<p>Oi</p>',
      doorsOpen: null,
      ageRating: null,
      faq: [],
      accessibility: null,
      category: 'music',
      status: 'draft',
      saleEnabled: false,
      poster,
      picture: null,
      timezone: 'America/Sao_Paulo',
      currency: 'BRL',
      withdrawalDays: 7,
      maximumPerOrder: 20,
      challenge: 'auto',
      disputedTickets: 'admit',
      reentry: 'none',
      waitingList: true,
      waitingListHours: 24,
      producer: { id: world.producer, name: 'First' },
      venue: { ...venue, street: null, zip: null, state: 'SP', country: 'BR' },
      start: null,
      finish: null,
      sessions: [],
      createdAt: at,
      updatedAt: at,
    });
    expect(await auditOf(world, answer)).toMatchObject([{ operation: 'createEvent', on: `event ${answer.json<Event>().id}` }]);
  });

  it('stores the texts of the event page as plain text, and derives when the doors open in each session', async () => {
    const texts = {
      subtitle: 'Com <b>convidados</b>',
      doorsOpen: 90,
      ageRating: '16',
      faq: [{ question: 'Chove?', answer: 'Não.\n<script>alert(1)</script>' }],
      accessibility: 'Rampas & elevador',
    };
    const id = await published('Forró de Rua', texts);
    const { sessions, ...read } = (await get(`/event/${id}`)).json<Event>();
    expect(read).toMatchObject(texts);
    expect(sessions).toMatchObject([{ start: session.start, doorsOpenAt: '2026-07-01 18:30:00' }]);
    expect((await get('/event?term=convidados&fields=id')).json()).toMatchObject({ data: [{ id }] });
  });

  it('gives events with the same title different links, even in concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(fresh('Twice'))));
    const links = answers.map((answer) => answer.json<Event>().link);
    expect(links.toSorted()).toEqual(['twice', 'twice-2', 'twice-3', 'twice-4', 'twice-5', 'twice-6']);
  });

  it('returns 400 and names missing, unknown and invalid fields', async () => {
    const answer = await post({
      producerId: world.producer,
      title: '',
      timezone: 3,
      poster: 'javascript:alert(1)',
      titel: 'x',
      link: '12',
      subtitle: 'two\nlines',
      doorsOpen: 1441,
      ageRating: '15',
      faq: [{ question: 'Why?', answer: ' ' }],
      accessibility: 'bell \u0007',
    });
    expect(
      answer
        .json<{ errors: InputError[] }>()
        .errors.map(({ field, code }) => `${field} ${code}`)
        .toSorted(),
    ).toEqual([
      'accessibility pattern',
      'ageRating enum',
      'category required',
      'doorsOpen maximum',
      'faq[0].answer pattern',
      'link pattern',
      'poster pattern',
      'subtitle pattern',
      'timezone type',
      'titel unknown',
      'title minLength',
      'title pattern',
    ]);
  });

  it('returns 404 for a producer in which the caller has no role, and for an unknown producer', async () => {
    expect((await post(fresh('x', { producerId: world.otherProducer }))).statusCode).toBe(404);
    expect((await post(fresh('x', { producerId: world.missing }), 'admin')).statusCode).toBe(404);
  });

  it('returns 409 if another event has or had the link', async () => {
    expect((await post(fresh('x', { link: 'first-event' }))).statusCode).toBe(409);
    const { id } = await create('Renamed', { link: 'before' });
    await put(id, { link: 'after' });
    expect((await post(fresh('x', { link: 'before' }))).statusCode).toBe(409);
  });

  it('returns 409 to one of two concurrent requests with the same link', async () => {
    const answers = await Promise.all([post(fresh('a', { link: 'wanted' })), post(fresh('b', { link: 'wanted' }))]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409]);
  });

  it('returns 422 for an unknown category or time zone', async () => {
    expect(errorOf(await post(fresh('x', { category: 'nothing' })))).toEqual([422, 'category', 'unknown']);
    // Node accepts the last two. PostgreSQL does not know US/Pacific-New, and Temporal does not know PST.
    for (const timezone of ['Mars/Olympus', 'US/Pacific-New', 'PST'])
      expect(errorOf(await post(fresh('x', { timezone })))).toEqual([422, 'timezone', 'unknown']);
  });
});

describe('PUT /event/{id}', () => {
  it('changes only the fields that are present, and null clears a field', async () => {
    const texts = { subtitle: 'Old', doorsOpen: 30, ageRating: '18', faq: [{ question: 'Q', answer: 'A' }], accessibility: 'Ramp' };
    const { id, ...before } = await create('Whole', { poster: 'https://x.test/a.jpg', venue: { name: 'Hall', city: 'Rio' }, ...texts });
    const changed = await put(id, { title: 'Renamed', poster: null, ageRating: null, faq: [] });
    expect(changed.json()).toEqual({ id, ...before, title: 'Renamed', poster: null, ageRating: null, faq: [] });
    expect((await put(id, { venue: null })).json<Event>().venue).toBeNull();
    expect(await auditOf(world, changed)).toMatchObject([
      { operation: 'updateEvent', before: { title: 'Whole' }, after: { title: 'Renamed' } },
    ]);
  });

  it('keeps the old link working, and lets the event take it back', async () => {
    const id = await published('Moving', { link: 'old-place' });
    await put(id, { link: 'new-place' });
    for (const link of ['old-place', 'new-place', String(id), 'OLD-PLACE']) {
      expect((await get(`/event?method=identify&link=${link}`)).json<Event>()).toMatchObject({ id, link: 'new-place' });
    }
    expect((await put(id, { link: 'old-place' })).json<Event>().link).toBe('old-place');
    expect((await get('/event?method=identify&link=new-place')).json<Event>().link).toBe('old-place');
  });

  it('accepts the whole event as it was read, with one field changed', async () => {
    const venue = { name: 'Hall', city: 'Rio', state: 'RJ', location: { lat: -22.9, lng: -43.2 } };
    const id = await published('Sent back', { description: '<p>Até o <b>amanhecer</b>.</p>', venue });
    const read = (await get(`/event/${id}`, 'owner')).json<Event>();
    const answer = await put(id, { ...read, title: 'Renamed' });
    expect([answer.statusCode, answer.json()]).toEqual([200, { ...read, title: 'Renamed' }]);
  });

  it('returns 400 for an empty body', async () => {
    expect((await put(world.event, {})).statusCode).toBe(400);
  });

  it('returns 422 and names read-only fields with another value', async () => {
    const read = (await get(`/event/${world.event}`, 'owner')).json<Event>();
    const others = {
      id: world.siblingEvent,
      status: 'cancelled',
      currency: 'EUR',
      producer: { id: 1, name: 'x' },
      start: null,
      sessions: [],
    };
    for (const [field, value] of Object.entries(others)) {
      expect(errorOf(await put(world.event, { ...read, title: 'Not this', [field]: value }))).toEqual([422, field, 'read_only']);
    }
    expect((await get(`/event/${world.event}`, 'owner')).json()).toEqual(read);
  });

  it('returns 412 when If-Match is stale', async () => {
    const id = await published('Versions');
    const etag = String((await get(`/event/${id}`, 'owner')).headers.etag);
    expect((await put(id, { title: 'A' }, 'owner', { 'if-match': etag })).statusCode).toBe(200);
    expect((await put(id, { title: 'B' }, 'owner', { 'if-match': etag })).statusCode).toBe(412);
  });

  it('returns 422 for a new time zone once there are sessions or items', async () => {
    const { id } = await create('Zone');
    expect((await put(id, { timezone: 'Europe/Lisbon' })).json<Event>().timezone).toBe('Europe/Lisbon');
    await world.call('POST', `/event/${id}/session`, { as: 'owner', body: session });
    expect(errorOf(await put(id, { timezone: 'UTC' }))).toEqual([422, 'timezone', 'fixed']);
    expect((await put(id, { timezone: 'Europe/Lisbon' })).statusCode).toBe(200);
  });
});

describe('POST /event/{id}/publish, /unpublish and /cancel', () => {
  const act = (id: number, what: string, body?: object) =>
    world.call('POST', `/event/${id}/${what}`, { as: 'owner', ...(body && { body }) });

  it('change the status from draft to published, private, draft and cancelled', async () => {
    const { id } = await create('Life');
    await world.call('POST', `/event/${id}/session`, { as: 'owner', body: session });
    expect((await act(id, 'publish')).json<Event>().status).toBe('published');
    expect((await act(id, 'publish', { private: true })).json<Event>().status).toBe('private');
    expect((await act(id, 'unpublish')).json<Event>().status).toBe('draft');
    expect((await act(id, 'publish')).json<Event>().status).toBe('published');
    expect((await act(id, 'cancel', { reason: 'Rain' })).json<Event>().status).toBe('cancelled');
  });

  it('return 409 for any change of a cancelled event, for cancelling a draft, and for unpublishing after a sale', async () => {
    const { id } = await create('Stubborn');
    await world.call('POST', `/event/${id}/session`, { as: 'owner', body: session });
    expect((await act(id, 'cancel')).statusCode).toBe(409);
    await act(id, 'publish');
    await world.call('POST', '/items', { as: 'owner', body: { eventId: id, name: 'x' } });
    await world.pool.query('update item set sold = 1 where event_id = $1', [id]);
    expect((await act(id, 'unpublish')).json()).toMatchObject({ status: 409, code: 'wrong_state' });
    expect((await act(id, 'cancel')).statusCode).toBe(200);
    for (const what of ['publish', 'unpublish', 'cancel']) expect((await act(id, what)).statusCode).toBe(409);
  });

  it('publish returns 422 without a session', async () => {
    const { id } = await create('Empty');
    expect(errorOf(await act(id, 'publish'))).toEqual([422, 'sessions', 'required']);
  });
});

describe('/event/{id}/session', () => {
  const at = (id: number, sessionId?: number) => `/event/${id}/session${sessionId === undefined ? '' : `/${sessionId}`}`;

  it('the event starts with its first session and finishes with its last', async () => {
    const { id } = await create('Days');
    const add = (day: string) =>
      world.call('POST', at(id), {
        as: 'owner',
        body: { ...session, start: `2026-07-${day} 20:00:00`, finish: `2026-07-${day} 23:00:00` },
      });
    const first = await add('10');
    expect(first.statusCode).toBe(201);
    expect(first.json()).toEqual({
      id: expect.any(Number),
      ...session,
      doorsOpenAt: null,
      start: '2026-07-10 20:00:00',
      finish: '2026-07-10 23:00:00',
      status: 'unavailable',
    });
    const second = (await add('12')).json<{ id: number }>().id;
    expect((await get(`/event/${id}`, 'owner')).json()).toMatchObject({ start: '2026-07-10 20:00:00', finish: '2026-07-12 23:00:00' });
    const changed = await world.call('PUT', at(id, second), { as: 'owner', body: { finish: '2026-07-13T02:00:00Z', capacity: null } });
    expect(changed.json()).toMatchObject({ name: 'Night', finish: '2026-07-12 23:00:00', capacity: null });
    expect((await world.call('DELETE', at(id, second), { as: 'owner' })).statusCode).toBe(204);
    expect((await get(`/event/${id}`, 'owner')).json()).toMatchObject({ finish: '2026-07-10 23:00:00' });
  });

  it('PUT of another field keeps the times, even in the hour that repeats when clocks are set back', async () => {
    const { id } = await create('Twice', { timezone: 'America/New_York' });
    const twice = { name: 'x', start: '2026-11-01T01:45:00-04:00', finish: '2026-11-01T01:15:00-05:00' };
    const made = (await world.call('POST', at(id), { as: 'owner', body: twice })).json<{ id: number }>().id;
    expect((await world.call('PUT', at(id, made), { as: 'owner', body: { name: 'y' } })).statusCode).toBe(200);
    const [read] = (await get(`/event/${id}`, 'owner')).json<Event>().sessions;
    const sentBack = await world.call('PUT', at(id, made), { as: 'owner', body: { ...read, name: 'z' } });
    expect([sentBack.statusCode, sentBack.json()]).toEqual([200, { ...read, name: 'z' }]);
    expect(errorOf(await world.call('PUT', at(id, made), { as: 'owner', body: { ...read, status: 'soldout' } }))).toEqual([
      422,
      'status',
      'read_only',
    ]);
    const { rows } = await world.pool.query('select starts_at, finishes_at from event_session where id = $1', [made]);
    expect(rows).toEqual([{ starts_at: new Date(twice.start), finishes_at: new Date(twice.finish) }]);
  });

  it('returns 404 for a session of another event', async () => {
    const own = (await get(`/event/${world.event}`)).json<Event>().sessions[0]?.id ?? 0;
    expect((await world.call('PUT', at(world.siblingEvent, own), { as: 'owner', body: { name: 'x' } })).statusCode).toBe(404);
    expect((await world.call('DELETE', at(world.siblingEvent, own), { as: 'owner' })).statusCode).toBe(404);
    expect((await get(`/event/${world.siblingEvent}/session/${own}/tickets`)).statusCode).toBe(404);
  });

  it('DELETE returns 409 if items refer to the session or if it is the only one of a published event', async () => {
    const id = await published('Kept');
    const only = (await get(`/event/${id}`)).json<Event>().sessions[0]?.id ?? 0;
    expect((await world.call('DELETE', at(id, only), { as: 'owner' })).statusCode).toBe(409);
    await world.call('POST', at(id), { as: 'owner', body: session });
    await world.call('POST', '/items', { as: 'owner', body: { eventId: id, name: 'x', sessionIds: [only] } });
    expect((await world.call('DELETE', at(id, only), { as: 'owner' })).json()).toMatchObject({ status: 409, code: 'wrong_state' });
  });

  it('DELETE returns 409 if imported codes refer to the session', async () => {
    const id = await published('Coded');
    const [only] = (await get(`/event/${id}`)).json<Event>().sessions;
    await world.call('POST', at(id), { as: 'owner', body: session });
    const item = (await world.call('POST', '/items', { as: 'owner', body: { eventId: id, name: 'x' } })).json<{ id: number }>().id;
    const insert = 'insert into external_code (event_id, item_id, session_id, code, created_at) values ($1, $2, $3, $4, now())';
    await world.pool.query(insert, [id, item, only?.id, 'A']);
    expect((await world.call('DELETE', at(id, only?.id), { as: 'owner' })).json()).toMatchObject({ status: 409, code: 'wrong_state' });
  });

  it('returns 422 for a time that does not exist, a finish before the start, and a capacity below the number sold', async () => {
    const { id } = await create('Rules', { timezone: 'Europe/Lisbon' });
    const add = (body: object) => world.call('POST', at(id), { as: 'owner', body: { ...session, ...body } });
    expect(errorOf(await add({ start: '2026-03-29 01:30:00' }))).toEqual([422, 'start', 'no_such_time']);
    expect(errorOf(await add({ finish: '2026-07-01 20:00:00' }))).toEqual([422, 'finish', 'order']);
    const made = (await add({})).json<{ id: number }>().id;
    await world.pool.query('update event_session set sold = 5 where id = $1', [made]);
    const lower = await world.call('PUT', at(id, made), { as: 'owner', body: { capacity: 4 } });
    expect(lower.json()).toMatchObject({ status: 422, sold: 5, least: 5 });
  });

  it('PUT returns 422 when a concurrent sale exceeds the new capacity', async () => {
    const id = await published('Race');
    const only = (await get(`/event/${id}`)).json<Event>().sessions[0]?.id ?? 0;
    const lower = () => world.call('PUT', at(id, only), { as: 'owner', body: { capacity: 5 } });
    const [answer] = await runBehindLock(world, `update event_session set sold = 10 where id = ${only}`, [lower]);
    expect(answer?.statusCode).toBe(422);
  });
});

describe('/event/{id}/attributes', () => {
  it('sets, filters, changes and removes attributes', async () => {
    const path = `/event/${world.event}/attributes`;
    const set = await world.call('PUT', path, { as: 'crew_admin', body: { minimumAge: 18, parking: true, note: 'Doors at 8' } });
    expect(set.json()).toEqual({ minimumAge: 18, parking: true, note: 'Doors at 8' });
    expect((await get(path)).json()).toEqual(set.json());
    expect((await get(`${path}?filters=minimumAge, note,unknown`)).json()).toEqual({ minimumAge: 18, note: 'Doors at 8' });
    expect((await world.call('PUT', path, { as: 'owner', body: { parking: null, note: 'Doors at 9' } })).json()).toEqual({
      minimumAge: 18,
      note: 'Doors at 9',
    });
  });

  it('returns 400 for an empty body and for invalid keys and values', async () => {
    const path = `/event/${world.event}/attributes`;
    for (const body of [{}, { 'two words': 1 }, { list: [1] }, { __proto__x: 1 }]) {
      expect((await world.call('PUT', path, { as: 'owner', body })).statusCode).toBe(400);
    }
  });

  it('returns 422 for more than 200 attributes', async () => {
    const path = `/event/${world.siblingEvent}/attributes`;
    const hundred = (letter: string) => Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${letter}${i}`, i]));
    expect((await world.call('PUT', path, { as: 'owner', body: hundred('a') })).statusCode).toBe(200);
    expect((await world.call('PUT', path, { as: 'owner', body: hundred('b') })).statusCode).toBe(200);
    expect((await world.call('PUT', path, { as: 'owner', body: { c: 1 } })).statusCode).toBe(422);
  });
});

describe('/categories', () => {
  const make = (body: object, as: Caller = 'admin') => world.call('POST', '/categories', { as, body });

  it('creates, lists, renames and deletes categories', async () => {
    const { id } = (await make({ slug: 'circus', name: 'Circus', position: 5 })).json<{ id: number }>();
    expect((await get('/circus')).json()).toEqual({ data: [], nextCursor: null });
    expect((await world.call('PUT', `/categories/${id}`, { as: 'admin', body: { slug: 'big-top' } })).json()).toEqual({
      id,
      slug: 'big-top',
      name: 'Circus',
      position: 5,
    });
    expect((await get('/circus')).statusCode).toBe(404);
    expect((await get('/categories')).json<{ data: { slug: string }[] }>().data.map(({ slug }) => slug)).toEqual(['music', 'big-top']);
    expect((await world.call('DELETE', `/categories/${id}`, { as: 'admin' })).statusCode).toBe(204);
    expect((await get('/big-top')).statusCode).toBe(404);
  });

  it('returns 409 for an existing slug, and for deleting a category with events', async () => {
    expect((await make({ slug: 'music', name: 'x' })).statusCode).toBe(409);
    const { data } = (await get('/categories')).json<{ data: { id: number; slug: string }[] }>();
    const music = data.find(({ slug }) => slug === 'music')?.id;
    expect((await world.call('DELETE', `/categories/${music}`, { as: 'admin' })).json()).toMatchObject({
      status: 409,
      code: 'wrong_state',
    });
  });

  it('returns 422 for a slug that is the first segment of an API path', async () => {
    for (const slug of ['event', 'events', 'items', 'featured', 'home', 'auth', 'tax', 'types', 'categories', 'orders', 'passkeys']) {
      expect(errorOf(await make({ slug, name: 'x' }))).toEqual([422, 'slug', 'reserved']);
    }
    const { id } = (await make({ slug: 'dance', name: 'Dance' })).json<{ id: number }>();
    expect((await world.call('PUT', `/categories/${id}`, { as: 'admin', body: { slug: 'featured' } })).statusCode).toBe(422);
  });

  it('GET /{slug} returns 404 for an unknown category, and POST returns 405', async () => {
    expect((await get('/nothing-here')).json()).toMatchObject({ status: 404, code: 'not_found' });
    const answer = await world.call('POST', '/music', { as: 'owner', body: {} });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});
