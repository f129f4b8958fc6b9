import { describe, expect, it } from 'vitest';
import { exportContextOf, exported, readCsv, readXlsx, runExport } from '../../test/exports.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import type { Files } from '../platform/files/files.ts';
import { openFiles } from '../platform/files/open-files.ts';
import type { Export } from './contract.ts';

/*
 * These exports have pieces of one or two ids. The file store calls a hook before it stores each chunk. The hook reads or changes the
 * database.
 */

const world = useWorld();
const shop = shopOf(world);
const free = { price: 0, feeSale: 0, feeProducer: 0 };
const newItem = () => shop.newItem({ values: free });
const buy = async (itemId: number, quantity = 1) => (await shop.buy([{ itemId, quantity }])).id;

const ask = async (body: object) => (await world.call('POST', `/event/${world.event}/export`, { as: 'owner', body })).json<Export>().id;
const fileOf = async (id: number) => {
  const { link } = (await world.call('GET', `/exports/${id}`, { as: 'owner' })).json<Export>();
  return (await world.call('GET', link ?? '/nowhere')).rawPayload;
};

/** A file store that calls `onChunk` before it stores each chunk. */
function watchedFiles(onChunk: (nth: number) => Promise<void>): Files {
  const files = openFiles(world.config);
  async function* watched(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let nth = 0;
    for await (const chunk of bytes) {
      await onChunk(nth++);
      yield chunk;
    }
  }
  return { ...files, write: (key, type, bytes) => files.write(key, type, watched(bytes as AsyncIterable<Buffer>)) };
}

const run = (id: number, pieceSize: number, onChunk: (nth: number) => Promise<void>) =>
  runExport({ ...exportContextOf(world, watchedFiles(onChunk)), pieceSize }, id);

describe('an export in several pieces', () => {
  it('keeps no transaction open longer than one piece, even if the file store is slow', async () => {
    const itemId = await newItem();
    const orders = [];
    for (let i = 0; i < 8; i++) orders.push(await buy(itemId));
    const id = await ask({ filters: [{ name: 'itemId', value: itemId }] });
    let chunks = 0;
    const open: string[] = [];
    await run(id, 1, async () => {
      chunks++;
      // A session holds the lock of its own virtual transaction for as long as the transaction is open.
      const { rows } = await world.pool.query<{ transaction: string }>(
        `select t.virtualxid as transaction from pg_locks l join pg_locks t on t.pid = l.pid and t.locktype = 'virtualxid'
          where l.locktype = 'advisory' and l.classid = 7355774 and l.objid = $1 and l.granted and t.virtualtransaction = t.virtualxid`,
        [id],
      );
      open.push(...rows.map(({ transaction }) => transaction));
    });
    expect(readCsv((await fileOf(id)).toString()).slice(1)).toHaveLength(orders.length);
    expect(chunks).toBeGreaterThan(orders.length);
    expect(new Set(open).size).toBe(open.length);
  });

  it('contains every order that existed at the start exactly once, in one state, while orders change', async () => {
    const [one, two] = [await newItem(), await newItem()];
    const orders: number[] = [];
    for (let i = 0; i < 7; i++) {
      orders.push(
        (
          await shop.buy([
            { itemId: one, quantity: 2 },
            { itemId: two, quantity: 1 },
          ])
        ).id,
      );
    }
    const id = await ask({ filters: [{ name: 'from', value: '2020-01-01' }] });
    const before = (await world.pool.query<{ n: number }>('select count(*)::int as n from order_line where event_id = $1', [world.event]))
      .rows[0]?.n;
    await run(id, 2, async (nth) => {
      await buy(one);
      const order = orders[(nth * 3) % orders.length] as number;
      await shop.refund({ id: order });
    });
    const rows = readCsv((await fileOf(id)).toString()).slice(1);
    expect(rows).toHaveLength(before ?? 0);
    for (const order of orders) {
      const lines = rows.filter(([number]) => Number(number) === order);
      expect(lines.map(([, , , , , , , , , itemId]) => Number(itemId))).toEqual([one, two]);
      expect(new Set(lines.map(([, status]) => status)).size).toBe(1);
    }
    expect(rows.map(([number]) => Number(number))).toEqual(rows.map(([number]) => Number(number)).toSorted((a, b) => a - b));
  });

  it('contains every guest and passkey exactly once for any piece size and format', async () => {
    const itemId = await newItem();
    await buy(itemId, 5);
    for (const name of ['East', 'West']) {
      const external = (await shop.write('POST', '/items', { eventId: world.event, name, type: 'external' })).id;
      await shop.importCodes(external, `${name}-1`, `${name}-2`, `${name}-3`);
    }
    for (const passkey of ['one', 'two', 'three']) await shop.write('POST', '/passkeys', { eventId: world.event, passkey });
    for (const [type, filters] of [
      ['guestlist', []],
      ['passkey', [{ status: 'all' }]],
    ] as const) {
      const whole = (await exported(world, { body: { type, filters } })).file.toString();
      const [, ...wholeRows] = readCsv(whole);
      expect(new Set(wholeRows.map(([a, b]) => `${a} ${b}`)).size).toBe(wholeRows.length);
      for (const pieceSize of [1, 2, 3]) {
        world.now = new Date(world.now.getTime() + 61_000);
        const id = await ask({ type, filters });
        await run(id, pieceSize, async () => undefined);
        expect((await fileOf(id)).toString(), `${type} in pieces of ${pieceSize}`).toBe(whole);
        const workbook = await ask({ type, filters, format: 'xlsx' });
        await run(workbook, pieceSize, async () => undefined);
        expect(readXlsx(await fileOf(workbook))[0]).toHaveLength(wholeRows.length + 1);
      }
    }
  });

  it('leaves out orders that were added after it started', async () => {
    const itemId = await newItem();
    await buy(itemId);
    const id = await ask({ filters: [{ name: 'itemId', value: itemId }] });
    await run(id, 1, async () => {
      await buy(itemId);
    });
    expect(readCsv((await fileOf(id)).toString()).slice(1)).toHaveLength(1);
  });
});
