import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Event } from '../src/events/event-schemas.ts';
import type { TicketGroup } from '../src/storefront/contract.ts';
import { eventually } from './eventually.ts';
import type { Service } from './process.ts';
import { useDataFolders, useProcesses } from './use-processes.ts';

useProcesses();
const newDataFolder = useDataFolders(afterAll);

/** Starts one process for the event group and one for the ticket group, on the same database. */
async function startBoth(): Promise<{ events: Service; tickets: Service }> {
  const folder = newDataFolder({ copyOf: inject('demoFolder') });
  const events = await folder.serve({ SERVE: 'event,account,worker' });
  const url = `postgresql://postgres@localhost/tessera?host=${encodeURIComponent(folder.database().socketDir)}`;
  return { events, tickets: await folder.serve({ SERVE: 'ticket', DATABASE_URL: url, SECRET_KEY_FILE: `${folder.dataDir}/secret-key` }) };
}

describe('groups that are served by different processes', () => {
  let events: Service;
  let tickets: Service;
  beforeAll(async () => {
    ({ events, tickets } = await startBoth());
  });

  it('return data that the other process has written within a second', async () => {
    const { token } = await events.logIn('producer@demo.test');
    const listing = async () => (await events.call('GET', '/v1/event/1/tickets')).body as { data: TicketGroup[] };
    const balcony = async () => (await listing()).data.flatMap((group) => group.tickets).find(({ name }) => name === 'Balcony');
    expect(await balcony()).toBeUndefined();

    const created = await tickets.call('POST', '/v1/items', { token, body: { eventId: 1, name: 'Balcony', quantity: 10 } });
    expect(created.status).toBe(201);
    const { id } = created.body as { id: number };
    expect((await tickets.call('POST', `/v1/items/${id}/values`, { token, body: { price: 100, feeSale: 0, feeProducer: 0 } })).status).toBe(
      201,
    );
    expect(await eventually('the new item shows', async () => (await balcony())?.price === 100)).toBe(true);

    const made = await events.call('POST', '/v1/event', {
      token,
      body: { producerId: 1, title: 'New', category: 'music', timezone: 'UTC' },
    });
    expect((await tickets.call('POST', '/v1/items', { token, body: { eventId: (made.body as Event).id, name: 'First' } })).status).toBe(
      201,
    );
  });

  it('return 404 for the paths of the other group, and do not take these paths for categories', async () => {
    const { token } = await events.logIn('producer@demo.test');
    for (const path of ['/v1/items', '/v1/types', '/v1/passkeys']) expect(await events.status(path, token)).toBe(404);
    for (const path of ['/v1/event/1', '/v1/music', '/v1/auth/me', '/v1/featured']) expect(await tickets.status(path, token)).toBe(404);
    expect(await tickets.status('/v1/types', token)).toBe(200);
  });
});
