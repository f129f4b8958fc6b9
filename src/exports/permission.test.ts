import { afterEach, describe, expect, it } from 'vitest';
import { exportContextOf, exported, insertExport, linkOfFile, runExport } from '../../test/exports.ts';
import { useWorld } from '../../test/harness.ts';
import type { Export } from './contract.ts';

/* Every read and every download checks the current roles of the user, not the roles that the user had when requesting the export. */

const world = useWorld();
const manager = 'crew_sales_manager';
const userId = () => world.users[manager];

const setRole = (role: string) =>
  world.pool.query(
    `insert into event_crew (event_id, user_id, role, created_at) values ($1, $2, $3, now())
     on conflict (event_id, user_id) do update set role = excluded.role`,
    [world.event, userId(), role],
  );
const remove = () => world.pool.query('delete from event_crew where event_id = $1 and user_id = $2', [world.event, userId()]);
const setDisabled = (disabled: boolean) =>
  world.pool.query('update app_user set disabled_at = case when $2 then now() end where id = $1', [userId(), disabled]);

afterEach(async () => {
  await setRole('sales_manager');
  await setDisabled(false);
});

const insert = (type: Export['type'], personal: boolean) =>
  insertExport(world, { eventId: world.event, userId: world.users.owner, type, personal });

async function newToken(permissions: string[], eventIds: number[] | null = null): Promise<string> {
  const body = { name: 'Limited', permissions, eventIds };
  return (await world.call('POST', '/auth/tokens', { as: 'owner', body })).json<{ token: string }>().token;
}

const listed = async (how: { as?: 'crew_entrance_manager' | 'owner'; token?: string }) => {
  const response = await world.call('GET', `/event/${world.event}/exports?pageSize=200&count=true`, how);
  const { data, total } = response.json<{ data: Export[]; total: number }>();
  expect(total).toBe(data.length);
  return data;
};

describe('GET /exports/{id}/file', () => {
  it('returns 410 after the requester was demoted or removed from the crew, and 200 after the role was given back', async () => {
    const link = await linkOfFile(world, 'a\n1\n', { userId: userId() });
    const status = async () => (await world.call('GET', link)).statusCode;
    expect(await status()).toBe(200);
    await setRole('entrance_manager');
    expect((await world.call('GET', link)).json()).toMatchObject({
      status: 410,
      code: 'link_expired',
      detail: 'The user who requested this export may no longer see it. A user with permission can request a new export.',
    });
    await remove();
    expect(await status()).toBe(410);
    await setRole('admin');
    expect(await status()).toBe(200);
  });

  it('returns 404 while the account of the requester is disabled', async () => {
    const link = await linkOfFile(world, 'a\n1\n', { userId: userId() });
    await setDisabled(true);
    expect((await world.call('GET', link)).statusCode).toBe(404);
  });

  it('returns 410 for a guest list with e-mails if its requester is now an entrance manager, and 200 for one without', async () => {
    const [withEmails, without] = [
      await linkOfFile(world, 'a\n1\n', { userId: userId(), type: 'guestlist', personal: true }),
      await linkOfFile(world, 'a\n1\n', { userId: userId(), type: 'guestlist', personal: false }),
    ];
    await setRole('entrance_manager');
    expect((await world.call('GET', withEmails)).statusCode).toBe(410);
    expect((await world.call('GET', without)).statusCode).toBe(200);
  });
});

describe('GET /event/{eventId}/exports and GET /exports/{id}', () => {
  it('return only guest lists without e-mails to entrance managers', async () => {
    const [sales, passkeys, withEmails, guests] = [
      await insert('transactions', true),
      await insert('passkey', false),
      await insert('guestlist', true),
      await insert('guestlist', false),
    ];
    const ids = (await listed({ as: 'crew_entrance_manager' })).map(({ id }) => id);
    expect(ids).toContain(guests);
    for (const id of [sales, passkeys, withEmails]) {
      expect(ids).not.toContain(id);
      for (const path of [`/exports/${id}`, `/exports/${id}/events`]) {
        expect((await world.call('GET', path, { as: 'crew_entrance_manager' })).statusCode, path).toBe(404);
      }
      expect((await world.call('POST', `/exports/${id}/cancel`, { as: 'crew_entrance_manager' })).statusCode).toBe(404);
    }
    expect((await world.call('GET', `/exports/${guests}`, { as: 'crew_entrance_manager' })).statusCode).toBe(200);
  });

  it('return to an API token only the exports that it could request', async () => {
    const { made } = await exported(world, { as: 'owner', body: { type: 'transactions' } });
    const guests = await insert('guestlist', false);
    const onlyExports = await newToken(['export.request']);
    expect(await listed({ token: onlyExports })).toEqual([]);
    expect((await world.call('GET', `/exports/${made.id}`, { token: onlyExports })).statusCode).toBe(404);
    for (const type of ['transactions', 'guestlist', 'passkey']) {
      const response = await world.call('POST', `/event/${world.event}/export`, { token: onlyExports, body: { type } });
      expect(response.statusCode).toBe(403);
    }
    const guestToken = await newToken(['export.request', 'guest.read']);
    expect((await listed({ token: guestToken })).map(({ id }) => id)).toContain(guests);
    expect((await world.call('GET', `/exports/${made.id}`, { token: guestToken })).statusCode).toBe(404);
    const salesToken = await newToken(['export.request', 'order.read']);
    expect((await world.call('GET', `/exports/${made.id}`, { token: salesToken })).json()).toMatchObject({ link: made.link });
    const otherEventToken = await newToken(['export.request', 'order.read'], [world.siblingEvent]);
    expect((await world.call('GET', `/exports/${made.id}`, { token: otherEventToken })).statusCode).toBe(404);
    expect((await world.call('GET', `/event/${world.event}/exports`, { token: otherEventToken })).statusCode).toBe(404);
  });

  it('POST /event/{eventId}/export creates a guest list without e-mails for an API token without order.read, even if the owner of the token has requested the same list', async () => {
    const body = { type: 'guestlist' };
    const own = (await world.call('POST', `/event/${world.event}/export`, { as: 'owner', body })).json<Export>();
    const token = await newToken(['export.request', 'guest.read']);
    const limited = (await world.call('POST', `/event/${world.event}/export`, { token, body })).json<Export>();
    expect(limited.id).not.toBe(own.id);
    const { rows } = await world.pool.query('select id, personal from export where id = any($1) order by id', [[own.id, limited.id]]);
    expect(rows).toEqual([
      { id: own.id, personal: true },
      { id: limited.id, personal: false },
    ]);
  });
});

describe('GET /exports/{id}/events', () => {
  it('ends the stream when the caller may no longer see the export, before it sends the link', async () => {
    const id = await insertExport(world, { eventId: world.event, userId: userId() });
    const watched = await world.app.inject({
      url: `/v1/exports/${id}/events`,
      headers: { authorization: `Bearer ${world.tokens[manager]}` },
      payloadAsStream: true,
    });
    const received: string[] = [];
    for await (const chunk of watched.stream()) {
      received.push(String(chunk));
      await setRole('entrance_manager');
      await world.pool.query('update export set rows = rows + 1 where id = $1', [id]);
    }
    expect(received).toHaveLength(1);
    expect(received[0]).toContain('"status":"queued"');
  });
});

describe('runExport', () => {
  it('fails the export without file and mail if the requester has lost the permission', async () => {
    const id = await insertExport(world, { eventId: world.event, userId: userId() });
    await remove();
    await runExport(exportContextOf(world), id);
    const made = (await world.call('GET', `/exports/${id}`, { as: 'owner' })).json<Export>();
    expect(made).toMatchObject({
      status: 'failed',
      reason: 'The user who requested the export no longer has the permission to see it',
      bytes: null,
    });
    const { rows } = await world.pool.query(`select from mail where dedupe_key like 'export/${id}/%'`);
    expect(rows).toHaveLength(0);
  });
});
