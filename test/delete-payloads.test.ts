import { describe, expect, it } from 'vitest';
import { contracts } from '../client/build/contracts.ts';
import type { Route } from '../src/kernel/route.ts';
import { useWorld } from './harness.ts';

const world = useWorld();

const deletes = Object.entries<Route>(contracts).filter(([, { method }]) => method === 'DELETE');

/** Returns a path with ids that pass the permission check. The other ids need not exist, because the payload is validated first. */
function pathOf({ path }: Route): string {
  const ids: Record<string, number> = { eventId: world.event, itemId: world.item };
  const first: Record<string, number> = { passkeys: world.passkey, event: world.event, producers: world.producer, items: world.item };
  const resource = path.split('/')[1] ?? '';
  if (path === '/auth/sessions/{id}') return '/auth/sessions/8a6e0804-2bd0-4672-b79d-d97027f9071a';
  return path.replace('{id}', String(first[resource] ?? 1)).replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? 1));
}

describe('DELETE', () => {
  it.each(deletes)('%s returns 400 for an unknown payload field', async (_name, route) => {
    const response = await world.call('DELETE', pathOf(route), { as: 'admin', body: { nonsense: 1 } });
    expect(response.json()).toMatchObject({
      status: 400,
      code: 'invalid_input',
      errors: [{ in: 'body', field: 'nonsense', code: 'unknown' }],
    });
  });

  it.each(deletes)('%s returns 400 for a payload that is not an object', async (_name, route) => {
    const response = await world.call('DELETE', pathOf(route), { as: 'admin', body: [1] });
    expect(response.json()).toMatchObject({ status: 400, code: 'invalid_input' });
  });

  it('accepts an empty object as payload, and a request with a content type but without a payload', async () => {
    for (const payload of ['{}', '']) {
      const { id } = (await world.call('POST', '/categories', { as: 'admin', body: { slug: 'short-lived', name: 'Short-lived' } })).json();
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${world.tokens.admin}` };
      const response = await world.app.inject({ method: 'DELETE', url: `/v1/categories/${id}`, headers, payload });
      expect(response.statusCode).toBe(204);
    }
  });
});
