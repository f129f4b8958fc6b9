import { expect } from 'vitest';
import type { Event } from '../src/events/event-schemas.ts';
import type { InputError } from '../src/kernel/problem.ts';
import type { World } from './harness.ts';
import type { Caller } from './world.ts';

export const aSession = { name: 'Night', start: '2026-07-01 20:00:00', finish: '2026-07-01 23:00:00', capacity: 100 };

/** Returns the status, the field (or the problem code) and the error code of a response. */
export function errorOf(answer: { json(): { status: number; errors?: InputError[]; code: string } }) {
  const { status, code, errors } = answer.json();
  return [status, errors?.[0]?.field ?? code, errors?.[0]?.code];
}

/** Requests that many tests of events need. */
export function eventRequests(world: World) {
  const fresh = (title: string, more: object = {}) => ({
    producerId: world.producer,
    title,
    category: 'music',
    timezone: 'America/Sao_Paulo',
    ...more,
  });
  const post = (body: object, as: Caller = 'owner') => world.call('POST', '/event', { as, body });
  const put = (id: number, body: object, as: Caller = 'owner', headers = {}) => world.call('PUT', `/event/${id}`, { as, body, headers });
  const get = (path: string, as?: Caller) => world.call('GET', path, as ? { as } : {});

  async function create(title: string, more: object = {}): Promise<Event> {
    const answer = await post(fresh(title, more));
    expect(answer.statusCode).toBe(201);
    return answer.json();
  }

  async function published(title: string, more: object = {}, isPrivate = false): Promise<number> {
    const { id } = await create(title, more);
    expect((await world.call('POST', `/event/${id}/session`, { as: 'owner', body: aSession })).statusCode).toBe(201);
    expect((await world.call('POST', `/event/${id}/publish`, { as: 'owner', body: { private: isPrivate } })).statusCode).toBe(200);
    return id;
  }

  return { fresh, post, put, get, create, published };
}
