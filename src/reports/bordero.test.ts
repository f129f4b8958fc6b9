import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { openPdf } from '../../test/pdf.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Bordero, Figures } from './contract.ts';

const world = useWorld();
const shop = shopOf(world);
let night = 0;
let matinee = 0;

async function bordero(query = ''): Promise<Bordero> {
  const response = await world.call('GET', `/event/${world.event}/bordero${query}`, { as: 'owner' });
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

const rowsOf = ({ sessions }: Bordero) => sessions.flatMap(({ items }) => items);
const names = ['sold', 'courtesy', 'refunded', 'gross', 'feeSale', 'feeProducer', 'net', 'paid'] as const;
const figuresIn = (of: Figures): Figures => Object.fromEntries(names.map((name) => [name, of[name]])) as Figures;
const nothing = Object.fromEntries(names.map((name) => [name, 0])) as Figures;
const add = (all: readonly Figures[]): Figures =>
  all.reduce((sum, each) => Object.fromEntries(names.map((name) => [name, sum[name] + each[name]])) as Figures, nothing);

beforeAll(async () => {
  const { rows } = await world.pool.query<{ id: number }>('select id from event_session where event_id = $1', [world.event]);
  night = rows[0]?.id ?? 0;
  const session = { name: 'Matinee', start: '2026-06-01 15:00:00', finish: '2026-06-01 18:00:00' };
  matinee = (await shop.write('POST', `/event/${world.event}/session`, session)).id;
});

describe('GET /event/{eventId}/bordero', () => {
  it('returns 200 with the items on offer before anything is sold', async () => {
    const report = await bordero();
    expect(report).toMatchObject({
      event: { id: world.event, title: 'first-event' },
      producer: { id: world.producer, name: 'First' },
      sessionId: null,
      period: { start: '2026-06-01 15:00:00', finish: '2026-06-01 23:00:00', firstSale: null, lastSale: null },
      currency: 'BRL',
      channels: [],
      payments: [],
      providerFees: [],
      halfPrice: { sold: 0, gross: 0, percent: 0 },
      totals: { offered: 100, ...nothing },
      generatedAt: noon.toISOString(),
    });
    expect(report.sessions.map(({ sessionId }) => sessionId)).toEqual([matinee, night]);
    expect(rowsOf(report)).toHaveLength(2);
    expect(rowsOf(report)[0]).toMatchObject({ itemId: world.item, name: 'Standing', price: 5000, offered: 100, ...nothing });
  });

  it('returns 200 with one row per price at which an item was sold, with refunds and fees', async () => {
    const itemId = await shop.newItem({
      item: { name: 'Lot', quantity: 50, sessionIds: [night] },
      values: { price: 5001, feeSale: 333, feeProducer: 77 },
    });
    const first = await shop.buy([{ itemId, quantity: 3 }]);
    await shop.write('PUT', `/items/${itemId}/values`, { price: 7000, feeSale: 0 });
    await shop.buy([{ itemId, quantity: 2 }]);
    await shop.refund(first, { lines: [{ itemId, quantity: 1 }], restock: false });
    const rows = rowsOf(await bordero()).filter((row) => row.itemId === itemId);
    expect(rows.map((row) => [row.price, row.offered, figuresIn(row)])).toEqual([
      [5001, 50, { sold: 2, courtesy: 0, refunded: 1, gross: 10_002, feeSale: 666, feeProducer: 154, net: 9848, paid: 10_668 }],
      [7000, 50, { sold: 2, courtesy: 0, refunded: 0, gross: 14_000, feeSale: 0, feeProducer: 154, net: 13_846, paid: 14_000 }],
    ]);
  });

  it('returns 200 with items for several sessions in a separate group, where each sale counts once', async () => {
    const before = await bordero();
    const itemId = await shop.newItem({ item: { name: 'Both', type: 'passport' }, values: { price: 9000, feeSale: 100, feeProducer: 0 } });
    await shop.buy([{ itemId, quantity: 1 }]);
    const report = await bordero();
    const both = report.sessions.at(-1);
    expect(both).toMatchObject({ sessionId: null, name: null, start: null, finish: null });
    expect(both?.sessionIds).toEqual([night, matinee]);
    expect(both?.items.map((row) => [row.itemId, row.sold, row.gross])).toEqual([[itemId, 1, 9000]]);
    expect(report.totals.gross - before.totals.gross).toBe(9000);
    for (const { sessionId } of report.sessions.slice(0, -1)) {
      const ofSession = await bordero(`?sessionId=${sessionId}`);
      expect(ofSession.sessions.map((group) => group.sessionId)).toEqual([sessionId]);
      expect(ofSession.sessions[0]).toEqual(report.sessions.find((group) => group.sessionId === sessionId));
      expect(figuresIn(ofSession.totals)).toEqual(add(ofSession.sessions.flatMap(({ items }) => items)));
      expect(figuresIn(ofSession.totals)).toEqual(add(ofSession.channels));
    }
  });

  it('returns 200 with amounts of 0 for free items and courtesies, and counts free items as sold but courtesies as courtesy', async () => {
    const free = { price: 0, feeSale: 0, feeProducer: 0 };
    const gift = await shop.newItem({
      item: { name: 'Guest', type: 'courtesy', sessionIds: [night] },
      values: { ...free, feeProducer: 50 },
    });
    const open = await shop.newItem({ item: { name: 'Open air', sessionIds: [night] }, values: free });
    const paid = await shop.newItem({ item: { name: 'Paid', sessionIds: [night] } });
    await shop.buy([{ itemId: gift, quantity: 2 }]);
    const order = await shop.buy([{ itemId: open, quantity: 3 }]);
    await shop.refund(order, { lines: [{ itemId: open, quantity: 1 }] });
    // The ledger has the producer fee of a courtesy only if the order has a payment. An order that has only courtesies has no postings.
    await shop.buy([
      { itemId: gift, quantity: 1 },
      { itemId: paid, quantity: 1 },
    ]);
    const report = await bordero();
    const rows = rowsOf(report);
    expect(figuresIn(rows.find((row) => row.itemId === gift) ?? nothing)).toEqual({ ...nothing, courtesy: 3, feeProducer: 50, net: -50 });
    expect(figuresIn(rows.find((row) => row.itemId === open) ?? nothing)).toEqual({ ...nothing, sold: 2, refunded: 1 });
    expect(report.payments.find(({ method }) => method === 'free')).toEqual({
      method: 'free',
      ...nothing,
      sold: 2,
      courtesy: 2,
      refunded: 1,
    });
  });

  it('returns 200 with archived items that were sold, and without archived items that were not', async () => {
    const itemId = await shop.newItem({ item: { name: 'Gone', sessionIds: [night] } });
    await shop.buy([{ itemId, quantity: 1 }]);
    await shop.write('PUT', `/items/${itemId}`, { archived: true });
    expect(rowsOf(await bordero()).find((row) => row.itemId === itemId)).toMatchObject({ name: 'Gone', sold: 1, gross: 5000 });
    const unsold = await shop.newItem({ item: { name: 'Never', sessionIds: [night] } });
    await shop.write('PUT', `/items/${unsold}`, { archived: true });
    expect(rowsOf(await bordero()).find((row) => row.itemId === unsold)).toBeUndefined();
  });

  it('returns 400 if sessionId is not a number', async () => {
    const response = await world.call('GET', `/event/${world.event}/bordero?sessionId=first`, { as: 'owner' });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 'invalid_input', errors: [{ in: 'query', field: 'sessionId' }] });
  });

  it('returns 404 if the session does not exist or is of another event', async () => {
    const { rows } = await world.pool.query<{ id: number }>('select id from event_session where event_id = $1', [world.foreignEvent]);
    for (const id of [world.missing, rows[0]?.id]) {
      expect((await world.call('GET', `/event/${world.event}/bordero?sessionId=${id}`, { as: 'owner' })).statusCode).toBe(404);
    }
  });
});

describe('GET /event/{eventId}/bordero.pdf', () => {
  const read = (query = '', headers = {}) => world.call('GET', `/event/${world.event}/bordero.pdf${query}`, { as: 'owner', headers });

  it('returns 200 with a PDF of the report in the language of the request, and 304 while nothing is sold', async () => {
    const report = await bordero();
    const answer = await read('?locale=en');
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/pdf']);
    const { pages } = openPdf(answer.rawPayload);
    const text = pages.map((page) => page.text).join(' ');
    for (const row of rowsOf(report)) expect(text).toContain(row.name);
    expect(text).toContain(new Intl.NumberFormat('en', { style: 'currency', currency: 'BRL' }).format(report.totals.net / 100));
    for (const page of pages) expect(page.text).toContain(report.hash);
    const known = { 'if-none-match': String(answer.headers['etag']) };
    expect((await read('?locale=en', known)).statusCode).toBe(304);
    expect((await read('?locale=es', known)).statusCode).toBe(200);
  });

  it('returns 200 with many pages for many items', async () => {
    for (let i = 0; i < 30; i++)
      await shop.newItem({ item: { name: `Lot ${i} with a name that is much too long for its column`, sessionIds: [night] } });
    const { pages } = openPdf((await read(`?sessionId=${night}`)).rawPayload);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.at(-1)?.text).toContain(`Página ${pages.length} de ${pages.length}`);
  });

  it('returns 404 for a session of another event', async () => {
    expect((await read(`?sessionId=${world.missing}`)).statusCode).toBe(404);
  });
});

describe('hash of a bordero', () => {
  /** The script that docs/reports.md publishes for verifying a bordero. */
  const published = /```js\n([^]*?)```/.exec(readFileSync(new URL('../../docs/reports.md', import.meta.url), 'utf8'))?.[1] ?? '';
  const check = (report: Bordero): string =>
    execFileSync(process.execPath, ['--input-type=module', '--eval', published], {
      input: JSON.stringify(report),
      encoding: 'utf8',
    }).trim();

  it('equals the hash that the published script computes', async () => {
    const report = await bordero();
    expect(published).toContain('createHash');
    expect(check(report)).toBe(`whole: ${report.hash}`);
  });

  it('does not change over time without new sales', async () => {
    const { hash } = await bordero();
    world.now = minutesAfterNoon(1);
    const later = await bordero();
    expect(later).toMatchObject({ hash, generatedAt: minutesAfterNoon(1).toISOString() });
  });

  it('changes with every sale, and the published script detects a changed report', async () => {
    const report = await bordero();
    await shop.buy([{ itemId: await shop.newItem({ item: { sessionIds: [night] } }), quantity: 1 }]);
    expect((await bordero()).hash).not.toBe(report.hash);
    expect(check({ ...report, totals: { ...report.totals, net: report.totals.net + 1 } })).toMatch(/^changed: /);
  });

  it('does not depend on the order of the members in the JSON objects', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const turned = Object.fromEntries(Object.entries(object).toReversed());
        expect(canonicalJson(turned as never)).toBe(canonicalJson(object as never));
        expect(JSON.parse(canonicalJson(object as never))).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    );
  });

  it('canonicalJson matches the example of RFC 8785', () => {
    const example = {
      numbers: [333_333_333.333_333_3, 1e30, 4.5, 2e-3, 1e-27],
      string: '\u20ac$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(example)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });
});
