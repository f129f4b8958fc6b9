import { afterEach, describe, expect, it } from 'vitest';
import { auditOf, leakedInto } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { type Caller, noon } from '../../test/world.ts';
import type { NewDoorDevice } from './device-contract.ts';

const world = useWorld();
const devices = () => `/event/${world.event}/devices`;
const door = () => `/event/${world.event}/door`;
const tokens: string[] = [];
const dayMs = 86_400_000;

const tryCreate = (body: object, as: Caller = 'crew_entrance_manager') => world.call('POST', devices(), { as, body });

async function create(body: object = {}): Promise<NewDoorDevice> {
  const response = await tryCreate({ name: 'Phone', ...body });
  expect(response.statusCode).toBe(201);
  tokens.push(response.json().token);
  return response.json();
}

const list = async (query = '') => (await world.call('GET', `${devices()}?${query}`, { as: 'owner' })).json();
const find = async (id: number) => (await list('pageSize=200')).data.find((each: { id: number }) => each.id === id);
const statusWith = async (token: string, path = door()) => (await world.call('GET', path, { token })).statusCode;

afterEach(() => {
  world.now = noon;
});

describe('POST /event/{eventId}/devices', () => {
  it('returns 201 with the token and the link of the QR code, and writes one audit entry without the token', async () => {
    const response = await tryCreate({ name: 'Phone 3', gate: 'Gate A' });
    const { token, link, ...device } = response.json();
    tokens.push(token);
    expect(token).toMatch(new RegExp(`^tsd_${world.event}_[\\w-]{32}$`));
    expect(link).toBe(`${world.config.publicUrl}/door/#pair=${token}`);
    // The session of the event ends on 2026-06-01 at 23:00 in São Paulo.
    const expiresAt = '2026-06-09T02:00:00.000Z';
    expect(device).toEqual({ id: expect.any(Number), name: 'Phone 3', gate: 'Gate A', createdAt: noon.toISOString(), expiresAt });
    expect(await auditOf(world, response)).toEqual([expect.objectContaining({ after: device })]);
  });

  it('expires at the time that the request names', async () => {
    const expiresAt = new Date(noon.getTime() + dayMs).toISOString();
    expect(await create({ expiresAt })).toMatchObject({ expiresAt, gate: null });
  });

  it('returns 422 if expiresAt is in the past, or too far ahead', async () => {
    for (const days of [-1, 0, 500]) {
      const response = await tryCreate({ name: 'Phone', expiresAt: new Date(noon.getTime() + days * dayMs).toISOString() });
      expect([days, response.statusCode, response.json().errors[0].field]).toEqual([days, 422, 'expiresAt']);
    }
  });
});

describe('GET /event/{eventId}/devices', () => {
  it('lists all devices page by page, and never returns a token', async () => {
    await create();
    const first = await list('pageSize=1&count=true');
    expect(first.data).toHaveLength(1);
    const rest = await list(`pageSize=200&cursor=${first.nextCursor}`);
    expect(1 + rest.data.length).toBe(first.total);
    for (const token of tokens) expect(JSON.stringify([first, rest])).not.toContain(token);
  });
});

describe('the token of a device', () => {
  it('reads the door of its event', async () => {
    const { id, token } = await create({ gate: 'Gate B' });
    const response = await world.call('GET', door(), { token });
    expect(response.json()).toEqual({
      event: { id: world.event, title: 'first-event', timezone: 'America/Sao_Paulo', reentry: 'none', ageRating: null },
      sessions: [
        {
          id: expect.any(Number),
          name: 'Night',
          start: '2026-06-01T23:00:00.000Z',
          finish: '2026-06-02T02:00:00.000Z',
          doorsOpenAt: null,
          opensAt: '2026-06-01T11:00:00.000Z',
          closesAt: '2026-06-02T08:00:00.000Z',
        },
      ],
      gates: ['Gate A', 'Gate B'],
      device: { id, name: 'Phone', gate: 'Gate B' },
      mayScan: true,
      maySearch: false,
      now: noon.toISOString(),
    });
  });

  it('checks in, and the audit log names the device', async () => {
    const { id, token } = await create();
    const entries = [{ code: 'ABC', at: noon.toISOString(), device: 'phone', nonce: 'n1' }];
    const response = await world.call('POST', `/event/${world.event}/checkins`, { token, body: { entries } });
    expect(response.json().results[0].result).toBe('unknown');
    expect(await auditOf(world, response)).toEqual([expect.objectContaining({ by: `device ${id}`, operation: 'makeCheckins' })]);
  });

  it('repeats the response of its own request with an Idempotency-Key, and not that of another device', async () => {
    const [one, other] = [await create(), await create()];
    const send = (token: string) =>
      world.call('POST', `/event/${world.event}/checkins`, {
        token,
        headers: { 'idempotency-key': 'same' },
        body: { entries: [{ code: 'ABC', at: noon.toISOString(), device: 'phone', nonce: 'n2' }] },
      });
    const replayed = [];
    for (const { token } of [one, one, other]) replayed.push((await send(token)).headers['idempotency-replayed'] === 'true');
    expect(replayed).toEqual([false, true, false]);
  });

  it('gets 401 once it has expired', async () => {
    const { token } = await create({ expiresAt: new Date(noon.getTime() + dayMs).toISOString() });
    world.now = new Date(noon.getTime() + dayMs - 1);
    expect(await statusWith(token)).toBe(200);
    world.now = new Date(noon.getTime() + dayMs);
    expect(await statusWith(token)).toBe(401);
  });

  it('gets 401 after the device was revoked, and a second revocation gets 404', async () => {
    const { id, token } = await create();
    expect((await world.call('DELETE', `${devices()}/${id}`, { as: 'owner' })).statusCode).toBe(204);
    expect(await statusWith(token)).toBe(401);
    expect(await find(id)).toMatchObject({ revokedAt: noon.toISOString() });
    expect((await world.call('DELETE', `${devices()}/${id}`, { as: 'owner' })).statusCode).toBe(404);
  });

  it('gets 401 if one character differs, or if it names another event', async () => {
    const { token } = await create();
    expect(await statusWith(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBe(401);
    const elsewhere = token.replace(`tsd_${world.event}_`, `tsd_${world.siblingEvent}_`);
    expect(await statusWith(elsewhere, `/event/${world.siblingEvent}/door`)).toBe(401);
  });

  it('stores when it was seen, at most once a minute', async () => {
    const { id, token } = await create();
    expect(await find(id)).toMatchObject({ lastSeenAt: null });
    for (const [seconds, seen] of [
      [0, 0],
      [59, 0],
      [61, 61],
    ] as const) {
      world.now = new Date(noon.getTime() + seconds * 1_000);
      expect(await statusWith(token)).toBe(200);
      expect(await find(id)).toMatchObject({ lastSeenAt: new Date(noon.getTime() + seen * 1_000).toISOString() });
    }
  });

  it('is not in the audit log', async () => {
    expect(tokens.length).toBeGreaterThan(3);
    expect(await leakedInto(world, tokens)).toEqual([]);
  });
});

describe('GET /event/{eventId}/door', () => {
  it.each([
    ['crew_entrance_operator', true, false],
    ['crew_entrance_manager', true, true],
    ['crew_sales_operator', false, false],
  ] as const)('tells %s whether they may scan and search', async (as, mayScan, maySearch) => {
    expect((await world.call('GET', door(), { as })).json()).toMatchObject({ device: null, mayScan, maySearch });
  });
});
