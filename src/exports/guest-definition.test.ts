import { beforeAll, describe, expect, it } from 'vitest';
import { exported, readCsv } from '../../test/exports.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import type { Caller } from '../../test/world.ts';
import type { CheckinResult, Manifest } from '../door/contract.ts';
import type { OrderTicket } from '../orders/ticket-contract.ts';
import type { EntryReport, Guest } from '../reports/contract.ts';

/*
 * A guest is a person with a ticket or code that the door admits. The guest list, the entry report, the export and the manifest must have the
 * same guests as the door, for every kind of ticket and code. The test is in this folder because exports may import from all these folders.
 */

const world = useWorld();
const shop = shopOf(world);
const document = '98765';
const buyer = { name: 'Joana Prado', email: 'joana@private.test', document };
let [first, second] = [0, 0];
/** One ticket or code of each kind. `guest` is its id in all lists. */
let scannable: { kind: string; code: string; guest: string }[] = [];

async function buy(itemId: number): Promise<{ id: number; ticket: OrderTicket }> {
  const order = await shop.buy([{ itemId, quantity: 1 }], { buyer });
  const response = await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}`);
  return { id: order.id, ticket: response.json<{ data: OrderTicket[] }>().data[0] as OrderTicket };
}

const newSession = async (name: string) =>
  (await shop.write('POST', `/event/${world.event}/session`, { name, start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' })).id;

const newExternal = async (name: string, sessionIds: number[]) =>
  (await shop.write('POST', '/items', { eventId: world.event, name, type: 'external', sessionIds })).id;

async function importCode(
  itemId: number,
  code: string,
  more: { sessionId?: number; name?: string; document?: string } = {},
): Promise<void> {
  await shop.importCodes(itemId, code);
  await world.pool.query('update external_code set session_id = $2, holder_name = $3, holder_document = $4 where code = $1', [
    code,
    more.sessionId ?? null,
    more.name ?? null,
    more.document ?? null,
  ]);
}

beforeAll(async () => {
  await world.pool.query('delete from item_session');
  [first, second] = [await newSession('First'), await newSession('Second')];
  const ofFirst = await shop.newItem({ item: { name: 'First only', sessionIds: [first] } });
  const passport = await shop.newItem({ item: { name: 'Passport', type: 'passport', sessionIds: [first, second] } });
  const printed = await shop.newItem({ item: { name: 'Printed', sessionIds: [first] }, attributes: { customCode: true } });
  await importCode(printed, 'SOLD');
  const tickets = {
    valid: await buy(ofFirst),
    refunded: await buy(ofFirst),
    passport: await buy(passport),
    withCode: await buy(printed),
  };
  await shop.refund(tickets.refunded);
  await importCode(printed, 'UNSOLD');
  const [everySession, secondOnly] = [await newExternal('Every session', []), await newExternal('Second only', [second])];
  await importCode(everySession, 'EVERY', { name: 'Érica Lima', document: '11122' });
  await importCode(everySession, 'EVERY-FIRST', { sessionId: first });
  await importCode(secondOnly, 'SECOND');
  const ticket = ({ ticket: { id, code } }: { ticket: OrderTicket }, kind: string) => ({ kind, code, guest: `ticket ${id}` });
  const { rows } = await world.pool.query<{ id: number; code: string }>('select id, code from external_code');
  const code = (text: string) => ({ kind: text, code: text, guest: `code ${rows.find((row) => row.code === text)?.id}` });
  scannable = [
    ticket(tickets.valid, 'a ticket'),
    ticket(tickets.refunded, 'a refunded ticket'),
    ticket(tickets.passport, 'a passport'),
    ticket(tickets.withCode, 'a ticket with an imported code'),
    ...['UNSOLD', 'EVERY', 'EVERY-FIRST', 'SECOND'].map(code),
  ];
});

const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted();

async function guestsInList(query = '', as: Caller = 'owner'): Promise<string[]> {
  const response = await world.call('GET', `/event/${world.event}/guestlist?pageSize=200${query}`, { as });
  expect(response.statusCode, response.body).toBe(200);
  return sorted(
    response.json<{ data: Guest[] }>().data.map(({ ticketId, codeId }) => (codeId === null ? `ticket ${ticketId}` : `code ${codeId}`)),
  );
}

async function guestsInExport(filters: object[], as: Caller = 'owner'): Promise<string[]> {
  const { file } = await exported(world, { as, body: { type: 'guestlist', filters } });
  return sorted(
    readCsv(file.toString())
      .slice(1)
      .map(([kind, id]) => `${kind} ${id}`),
  );
}

async function guestsInManifest(): Promise<string[]> {
  const response = await world.call('GET', `/event/${world.event}/checkins/manifest`, { as: 'crew_entrance_operator' });
  const { tickets, codes } = response.json<Manifest>();
  return sorted([
    ...tickets.filter(({ status }) => status === 'valid').map(({ id }) => `ticket ${id}`),
    ...codes.map(({ id }) => `code ${id}`),
  ]);
}

async function countInReport(query = ''): Promise<number> {
  const response = await world.call('GET', `/event/${world.event}/guestlist?method=report${query}`, { as: 'owner' });
  return response.json<EntryReport>().totals.tickets;
}

let scans = 0;
/** The guests for whom the door returns `admitted` or `already_used`. */
async function guestsAtTheDoor(sessionId: number): Promise<string[]> {
  const entries = scannable.map(({ code }) => ({ code, sessionId, at: world.now.toISOString(), device: 'gate', nonce: `n${++scans}` }));
  const response = await world.call('POST', `/event/${world.event}/checkins`, { as: 'crew_entrance_operator', body: { entries } });
  const { results } = response.json<{ results: CheckinResult[] }>();
  return sorted(scannable.filter((_, i) => ['admitted', 'already_used'].includes(results[i]?.result ?? '')).map(({ guest }) => guest));
}

describe('guests', () => {
  it('of a session are the same at the door, in the guest list, the export and the entry report', async () => {
    for (const sessionId of [first, second]) {
      const admitted = await guestsAtTheDoor(sessionId);
      expect(admitted).toHaveLength(sessionId === first ? 5 : 3);
      expect(await guestsInList(`&sessionId=${sessionId}`)).toEqual(admitted);
      expect(await guestsInExport([{ name: 'sessionId', value: sessionId }])).toEqual(admitted);
      expect(await countInReport(`&sessionId=${sessionId}`)).toBe(admitted.length);
    }
  });

  it('of the event are the same at the door, in the guest list, the export, the entry report and the manifest', async () => {
    const admitted = sorted([...(await guestsAtTheDoor(first)), ...(await guestsAtTheDoor(second))]);
    expect(admitted).toHaveLength(6);
    expect(await guestsInList()).toEqual(admitted);
    expect(await guestsInExport([])).toEqual(admitted);
    expect(await guestsInManifest()).toEqual(admitted);
    expect(await countInReport()).toBe(admitted.length);
  });

  it('are found by the same terms in the guest list and the export, for every role', async () => {
    const [ticket = '', , , withCode] = scannable.map(({ guest }) => guest);
    expect(await guestsInList('&term=SOLD')).toEqual([withCode]);
    const terms = ['joana', 'JOANA p', 'erica', ticket.split(' ')[1], 'SOLD', 'EVERY', 'EVE', 'joana@private', document, '11122'];
    for (const as of ['owner', 'crew_sales_manager', 'crew_entrance_manager'] as const) {
      for (const term of terms) {
        const found = await guestsInList(`&term=${encodeURIComponent(term ?? '')}`, as);
        expect(await guestsInExport([{ name: 'term', value: term }], as), `${term} as ${as}`).toEqual(found);
      }
    }
  });
});

describe('personal data of guests', () => {
  it('POST /event/{eventId}/export by entrance staff leaves out e-mail and document and does not search them', async () => {
    const body = { type: 'guestlist', filters: [{ name: 'term', value: 'joana' }] };
    const { file } = await exported(world, { as: 'crew_entrance_manager', body, headers: { 'accept-language': 'en' } });
    const [header = [], ...rows] = readCsv(file.toString());
    expect(header).toEqual(
      ['Kind', 'Id', 'Imported code', 'Order', 'Item id', 'Item', 'Sessions', 'Name', 'Channel', 'Status', 'Checked at', 'Gate'].map(
        String,
      ),
    );
    expect(rows).toHaveLength(3);
    expect(rows.map((row) => row[header.indexOf('Name')])).toEqual(rows.map(() => buyer.name));
    expect(file.toString()).not.toMatch(/private\.test|98765/);
    for (const term of ['joana@private', document, '11122']) {
      expect(await guestsInExport([{ name: 'term', value: term }], 'crew_entrance_manager'), term).toEqual([]);
      expect(await guestsInExport([{ name: 'term', value: term }], 'owner'), term).not.toEqual([]);
    }
  });

  it('GET /event/{eventId}/checkins/manifest has no names, e-mails or documents', async () => {
    const { body } = await world.call('GET', `/event/${world.event}/checkins/manifest`, { as: 'owner' });
    expect(body).not.toMatch(/Joana|private\.test|98765|Lima|11122/);
  });
});
