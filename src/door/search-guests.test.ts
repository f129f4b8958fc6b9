import { beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { noon } from '../../test/world.ts';
import type { FoundGuest } from './search-contract.ts';

const world = useWorld();
const shop = shopOf(world);
let session = 0;
let half = 0;
const buyers = {
  ana: { name: 'Ána  Sousa', email: 'ana@test.test', document: '529.982.247-25' },
  bruno: { name: 'Bruno de Souza', email: 'bruno@test.test', document: '11144477735' },
  many: { name: 'Maria Silva', email: 'maria@test.test' },
};

beforeAll(async () => {
  const times = { start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' };
  session = (await shop.write('POST', `/event/${world.event}/session`, { name: 'Now', ...times })).id;
  half = await shop.newItem({ item: { name: 'Half', sessionIds: [session] }, attributes: { halfPrice: true } });
  for (const [name, buyer] of Object.entries(buyers)) await shop.buy([{ itemId: half, quantity: name === 'many' ? 25 : 1 }], { buyer });
});

const send = (q: string, more = '') =>
  world.call('GET', `/event/${world.event}/checkins/search?q=${encodeURIComponent(q)}${more}`, { as: 'crew_entrance_manager' });

async function search(q: string, more = ''): Promise<FoundGuest[]> {
  const response = await send(q, more);
  expect(response.statusCode).toBe(200);
  return response.json().data;
}

const holders = async (q: string) => (await search(q)).map(({ holder }) => holder);

describe('GET /event/{eventId}/checkins/search', () => {
  it('finds tickets by the beginnings of words of the name, without accents and capitals', async () => {
    expect(await holders('ana')).toEqual(['Ána  Sousa']);
    expect(await holders('SOU')).toEqual(['Ána  Sousa', 'Bruno de Souza']);
    expect(await holders('souza bru')).toEqual(['Bruno de Souza']);
    expect(await holders('ouza')).toEqual([]);
    expect(await holders('%%%')).toEqual([]);
  });

  it('finds tickets by the document, with or without punctuation', async () => {
    expect(await holders('529982')).toEqual(['Ána  Sousa']);
    expect(await holders('111.444.777-35')).toEqual(['Bruno de Souza']);
    expect(await holders('44477')).toEqual([]);
  });

  it('returns no document and no e-mail, and at most 20 tickets', async () => {
    const found = await search('maria');
    expect(found).toHaveLength(20);
    const { body } = await send('529982');
    for (const secret of [buyers.ana.email, '529', '982']) expect(body).not.toContain(secret);
    expect(JSON.parse(body).data).toEqual([
      { ticketId: expect.any(Number), holder: 'Ána  Sousa', item: 'Half', halfPrice: true, state: 'valid' },
    ]);
  });

  it('returns the state of the ticket, in the session of the request', async () => {
    const [ticket] = await search('bruno');
    const entries = [{ ticketId: ticket?.ticketId, at: noon.toISOString(), device: 'phone', nonce: 'n1' }];
    await world.call('POST', `/event/${world.event}/checkins`, { as: 'crew_entrance_manager', body: { entries } });
    expect((await search('bruno', `&sessionId=${session}`)).map(({ state }) => state)).toEqual(['used']);
    expect(await search('bruno', '&sessionId=1')).toEqual([]);
  });

  it('writes who searched and which tickets were found to the audit log, but not the text', async () => {
    const response = await send('529.982.247-25');
    const [entry] = await auditOf(world, response);
    expect(entry).toMatchObject({ by: `user ${world.users.crew_entrance_manager}`, operation: 'searchGuests' });
    expect(entry?.after).toEqual({ found: response.json().data.map(({ ticketId }: FoundGuest) => ticketId) });
  });

  it('returns 400 for a text with fewer than 3 characters', async () => {
    for (const q of ['', 'an', '  a  b ']) expect([q, (await send(q)).statusCode]).toEqual([q, 400]);
  });
});
