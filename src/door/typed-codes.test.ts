import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { type Caller, noon } from '../../test/world.ts';
import type { OrderTicket } from '../orders/ticket-contract.ts';

const world = useWorld();
const shop = shopOf(world);
let counter = 0;
let session = 0;

beforeAll(async () => {
  const times = { start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' };
  session = (await shop.write('POST', `/event/${world.event}/session`, { name: 'Now', ...times })).id;
});

async function buy(itemId: number, quantity = 1): Promise<OrderTicket[]> {
  const order = await shop.buy([{ itemId, quantity }], { buyer: { name: 'Ana Souza', email: `ana${++counter}@test.test` } });
  return (await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}`)).json<{ data: OrderTicket[] }>().data;
}

const newItem = (more: object = {}) => shop.newItem({ item: { name: 'Seat', sessionIds: [session], ...more } });
const firstTicket = async (more: object = {}) => (await buy(await newItem(more)))[0] as OrderTicket;

const send = (entries: object[], as: Caller = 'crew_entrance_operator') => {
  const rest = () => ({ at: noon.toISOString(), device: 'phone', nonce: `n${++counter}` });
  return world.call('POST', `/event/${world.event}/checkins`, { as, body: { entries: entries.map((entry) => ({ ...rest(), ...entry })) } });
};

async function scan(entry: object, as?: Caller): Promise<string> {
  const response = await send([entry], as);
  return response.statusCode === 200 ? response.json().results[0].result : response.json().code;
}

describe('a short code', () => {
  it('admits the holder once, however it is typed, and together with scanned codes', async () => {
    const [one, two] = (await buy(await newItem(), 2)) as [OrderTicket, OrderTicket];
    expect(await scan({ code: ` ${one.shortCode?.toLowerCase().replace('-', ' ')} ` })).toBe('admitted');
    expect(await scan({ code: one.code })).toBe('already_used');
    const mixed = await send([{ code: two.code }, { code: two.shortCode }, { code: one.shortCode }]);
    const results = mixed.json<{ results: { result: string; holder: string }[] }>().results;
    expect(results.map(({ result }) => result)).toEqual(['admitted', 'already_used', 'already_used']);
    expect(results[1]?.holder).toBe('Ana Souza');
  });

  it('of a refunded ticket gets refunded', async () => {
    const order = await shop.buy([{ itemId: await newItem(), quantity: 1 }]);
    const { data } = (await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}`)).json<{ data: OrderTicket[] }>();
    await shop.write('POST', `/orders/${order.id}/refund`, {});
    expect(await scan({ code: data[0]?.shortCode })).toBe('refunded');
  });

  it('is unknown in another event, and so are codes that were never issued', async () => {
    const { shortCode } = await firstTicket();
    const entries = [{ code: shortCode, at: noon.toISOString(), device: 'phone', nonce: `n${++counter}` }];
    const elsewhere = await world.call('POST', `/event/${world.siblingEvent}/checkins`, { as: 'owner', body: { entries } });
    expect(elsewhere.json().results[0].result).toBe('unknown');
    expect(await scan({ code: '0000-0000' })).toBe('unknown');
  });

  it('does not hide an imported code of the same form', async () => {
    const external = await newItem({ type: 'external' });
    await shop.importCodes(external, '12345678');
    expect([await scan({ code: '12345678' }), await scan({ code: '12345678' }), await scan({ code: '12345679' })]).toEqual([
      'admitted',
      'already_used',
      'unknown',
    ]);
  });
});

describe('an entry with a ticketId', () => {
  it('admits if the caller may search guests, and gets 403 otherwise', async () => {
    const { id, code } = await firstTicket();
    expect(await scan({ ticketId: id })).toBe('forbidden');
    expect(await scan({ ticketId: id }, 'crew_entrance_manager')).toBe('admitted');
    expect(await scan({ code })).toBe('already_used');
  });

  it('marks the imported code of the ticket as used', async () => {
    const custom = await shop.newItem({ item: { name: 'Card', sessionIds: [session] }, attributes: { customCode: true } });
    await shop.importCodes(custom, 'CARD-7');
    const [ticket] = await buy(custom);
    expect(ticket).toMatchObject({ code: 'CARD-7', shortCode: null });
    expect(await scan({ ticketId: ticket?.id }, 'owner')).toBe('admitted');
    expect(await scan({ code: 'CARD-7' })).toBe('already_used');
  });

  it('is unknown if the event has no such ticket', async () => {
    expect(await scan({ ticketId: world.missing }, 'owner')).toBe('unknown');
  });

  it('gets 422 if it also has a code, and so does an entry with neither', async () => {
    for (const entry of [{ ticketId: 1, code: 'A' }, {}]) {
      const response = await send([entry], 'owner');
      expect([response.statusCode, response.json().errors[0].field]).toEqual([422, 'entries[0]']);
    }
  });
});
