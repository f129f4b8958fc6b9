import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import type { Caller } from '../../test/world.ts';

const world = useWorld();

let count = 0;
const newKey = () => `key-${count++}`;

interface By {
  as?: Caller;
  token?: string;
}

const send = (method: 'DELETE' | 'PUT', path: string, key: string | null, by: By, body?: object) =>
  world.call(method, path, { ...by, body, headers: key === null ? {} : { 'idempotency-key': key } });

const outcomeOf = async (response: ReturnType<typeof send>) => {
  const { statusCode, headers } = await response;
  return [statusCode, headers['idempotency-replayed'] ?? null];
};

async function newPasskey(): Promise<string> {
  const body = { eventId: world.event, passkey: `Passkey ${count++}` };
  return `/passkeys/${(await world.call('POST', '/passkeys', { as: 'owner', body })).json().id}`;
}

async function newToken(body: object): Promise<string> {
  return (await world.call('POST', '/auth/tokens', { as: 'owner', body: { name: 'Mine', ...body } })).json().token;
}

describe('a request that is repeated with its Idempotency-Key', () => {
  it('DELETE /passkeys/{id} replays 204, although the passkey is deleted', async () => {
    const [path, key] = [await newPasskey(), newKey()];
    expect(await outcomeOf(send('DELETE', path, key, { as: 'owner' }))).toEqual([204, null]);
    expect(await outcomeOf(send('DELETE', path, key, { as: 'owner' }))).toEqual([204, 'true']);
  });

  it('returns 404 without the key, with another key, and with the key of another request', async () => {
    const [path, key] = [await newPasskey(), newKey()];
    const other = await newPasskey();
    await send('DELETE', path, key, { as: 'owner' });
    await send('DELETE', other, newKey(), { as: 'owner' });
    expect(await outcomeOf(send('DELETE', path, null, { as: 'owner' }))).toEqual([404, null]);
    expect(await outcomeOf(send('DELETE', path, newKey(), { as: 'owner' }))).toEqual([404, null]);
    expect(await outcomeOf(send('DELETE', other, key, { as: 'owner' }))).toEqual([404, null]);
  });

  it('another caller does not get the stored response', async () => {
    const [path, key] = [await newPasskey(), newKey()];
    await send('DELETE', path, key, { as: 'owner' });
    for (const as of ['admin', 'manager', 'crew_admin', 'stranger'] as const) {
      expect(await outcomeOf(send('DELETE', path, key, { as }))).toEqual([404, null]);
    }
    expect(await outcomeOf(send('DELETE', path, key, {}))).toEqual([401, null]);
  });

  it('an API token gets only the stored responses to its own requests, not those of its user or of other tokens', async () => {
    const limited = await newToken({ permissions: ['crew.read'] });
    const able = await newToken({ permissions: ['passkey.manage'] });
    const [path, key] = [await newPasskey(), newKey()];
    await send('DELETE', path, key, { as: 'owner' });
    for (const token of [limited, able]) expect(await outcomeOf(send('DELETE', path, key, { token }))).toEqual([404, null]);
    const [another, anotherKey] = [await newPasskey(), newKey()];
    expect(await outcomeOf(send('DELETE', another, anotherKey, { token: able }))).toEqual([204, null]);
    expect(await outcomeOf(send('DELETE', another, anotherKey, { token: able }))).toEqual([204, 'true']);
    expect(await outcomeOf(send('DELETE', another, anotherKey, { token: limited }))).toEqual([404, null]);
    expect(await outcomeOf(send('DELETE', another, anotherKey, { as: 'owner' }))).toEqual([404, null]);
  });

  it('PUT and DELETE /event/{id}/crew/{userId} replay the response to callers who removed their own role', async () => {
    const path = `/event/${world.event}/crew/${world.users.crew_admin}`;
    const demote = (key: string, role: string) => send('PUT', path, key, { as: 'crew_admin' }, { role });
    const key = newKey();
    const first = await demote(key, 'sales_operator');
    const second = await demote(key, 'sales_operator');
    expect([first.statusCode, second.statusCode, second.headers['idempotency-replayed']]).toEqual([200, 200, 'true']);
    expect(second.body).toBe(first.body);
    expect(await outcomeOf(demote(key, 'admin'))).toEqual([403, null]);
    expect(await outcomeOf(demote(newKey(), 'sales_operator'))).toEqual([403, null]);

    await world.call('PUT', path, { as: 'owner', body: { role: 'admin' } });
    const leave = newKey();
    expect(await outcomeOf(send('DELETE', path, leave, { as: 'crew_admin' }))).toEqual([204, null]);
    expect(await outcomeOf(send('DELETE', path, leave, { as: 'crew_admin' }))).toEqual([204, 'true']);
    expect(await outcomeOf(send('DELETE', path, newKey(), { as: 'crew_admin' }))).toEqual([404, null]);
  });
});
