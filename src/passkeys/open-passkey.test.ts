import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { buffersOf, statementsOf } from '../../test/statements.ts';
import { noon } from '../../test/world.ts';
import { systemAct } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { createPasskeyBatch } from './create-batch.ts';
import { createPasskey } from './create-passkey.ts';
import { openPasskey } from './open-passkey.ts';
import { replacePasskeyItems } from './replace-items.ts';
import { deletePasskey } from './update-passkey.ts';

const world = useWorld();
const act = systemAct('test', noon);
let passkey: number;
let lastAddress = 0;
/** Nobody has missed from there yet. */
const freshAddress = (): string => `10.0.${lastAddress >> 8}.${lastAddress++ & 255}`;

beforeAll(async () => {
  await inTransaction(world.db, {}, async (tx) => {
    const create = async (text: string, terms = {}) => (await createPasskey(tx, act, { eventId: world.event, passkey: text, ...terms })).id;
    passkey = await create('Abracadabra', { start: '2026-03-01 09:00:00', finish: '2026-03-04', limit: 2 });
    await replacePasskeyItems(tx, act, passkey, [world.item]);
    await deletePasskey(tx, act, await create('removed'));
    await createPasskeyBatch(tx, act, world.siblingEvent, { generate: 20_000 });
  });
  await world.pool.query('vacuum analyze passkey, passkey_item');
});

interface Try {
  text?: string;
  at?: string | Date;
  address?: string | null;
  eventId?: number;
}

const open = ({ text = 'Abracadabra', at = noon, address = freshAddress(), eventId = world.event }: Try = {}) =>
  inTransaction(world.db, { readOnly: true }, (tx) => openPasskey(tx, { eventId, text, at: new Date(at), address }));

/** The reason, or `rate_limited`, or `open`. */
async function outcome(asked: Try): Promise<string> {
  try {
    await open(asked);
    return 'open';
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code === 'passkey_rejected' ? String(error.details.extra?.reason) : error.code;
  }
}

const many = (count: number, asked: () => Try) => Promise.all(Array.from({ length: count }, () => outcome(asked())));
const tally = (outcomes: string[]) =>
  Object.fromEntries([...new Set(outcomes)].map((one) => [one, outcomes.filter((o) => o === one).length]));

describe('openPasskey', () => {
  it('answers the items, whatever the case of the letters and the blanks around them', async () => {
    for (const text of ['Abracadabra', 'ABRACADABRA', '  abracadabra '])
      expect(await open({ text })).toEqual({ id: passkey, itemIds: [world.item] });
  });

  it('403 passkey_rejected, with the reason', async () => {
    expect(await outcome({ text: 'abracadabr' })).toBe('unknown');
    expect(await outcome({ text: 'removed' })).toBe('unknown');
    expect(await outcome({ eventId: world.siblingEvent })).toBe('unknown');
    expect(await outcome({ at: '2026-03-01T11:59:59.999Z' })).toBe('early');
    expect(await outcome({ at: '2026-03-01T12:00:00Z' })).toBe('open');
    expect(await outcome({ at: '2026-03-05T02:59:59.999Z' })).toBe('open');
    expect(await outcome({ at: '2026-03-05T03:00:00Z' })).toBe('late');
    await world.pool.query('update passkey set used = 1, held = 1 where id = $1', [passkey]);
    expect(await outcome({})).toBe('exhausted');
    await world.pool.query('update passkey set used = 0, held = 0 where id = $1', [passkey]);
    await expect(open({ text: 'far off' })).rejects.toMatchObject({ status: 403, code: 'passkey_rejected' });
  });

  it('429: twenty misses from one address close it for ten minutes, for right passkeys too and in every event', async () => {
    const address = freshAddress();
    const at = new Date('2026-03-02T13:00:00Z');
    expect(tally(await many(19, () => ({ text: 'wrong', address, at })))).toEqual({ unknown: 19 });
    expect(await outcome({ address, at })).toBe('open');
    expect(await outcome({ text: 'wrong', address, at })).toBe('unknown');
    expect(await outcome({ address, at })).toBe('rate_limited');
    expect(await outcome({ address, at, eventId: world.siblingEvent })).toBe('rate_limited');
    expect(await outcome({ at })).toBe('open');
    await expect(open({ address, at: '2026-03-02T13:09:58.500Z' })).rejects.toMatchObject({
      status: 429,
      details: { headers: { 'retry-after': '2' } },
    });
    expect(await outcome({ address, at: '2026-03-02T13:10:00Z' })).toBe('open');
  });

  it('guesses sent at once do not slip through together', async () => {
    const address = '2001:db8::1';
    expect(tally(await many(60, () => ({ text: 'wrong', address })))).toEqual({ unknown: 20, rate_limited: 40 });
    expect(await outcome({ address: '2001:db8::2' })).toBe('rate_limited');
  });

  it('right passkeys, early and late ones are never counted', async () => {
    const address = freshAddress();
    expect(tally(await many(50, () => ({ address })))).toEqual({ open: 50 });
    expect(tally(await many(50, () => ({ address, at: '2026-02-01T00:00:00Z' })))).toEqual({ early: 50 });
    expect(await outcome({ address })).toBe('open');
  });

  it('429: a thousand misses from anywhere close the event for a minute, and no other', async () => {
    const at = new Date('2026-03-02T15:00:00Z');
    const missing = tally(await many(1_000, () => ({ text: 'wrong', at })));
    expect(missing).toEqual({ unknown: 1_000 });
    expect(await outcome({ at })).toBe('rate_limited');
    expect(await outcome({ at, eventId: world.siblingEvent })).toBe('unknown');
    expect(await outcome({ at: '2026-03-02T15:01:00Z' })).toBe('open');
  });

  it('is one statement, and one look into the index, for a hit, a near miss and a far one', async () => {
    const { rows } = await world.pool.query<{ code: string }>('select code from passkey where event_id = $1 order by id desc limit 1', [
      world.siblingEvent,
    ]);
    const hit = rows[0]?.code ?? '';
    const costs: number[] = [];
    const texts = new Set<string>();
    for (const text of [hit, `${hit.slice(0, -1)}!`, `!${hit.slice(1)}`, 'nothing like it', 'x'.repeat(1_000)]) {
      const { statements } = await statementsOf(() => outcome({ text, eventId: world.siblingEvent }));
      expect(statements).toHaveLength(1);
      for (const statement of statements) {
        texts.add(statement.text);
        costs.push(await buffersOf(world.pool, statement));
      }
    }
    expect(texts.size).toBe(1);
    // Twenty thousand codes are hundreds of pages. A hit also reads its row, its event and its items.
    expect(Math.max(...costs)).toBeLessThan(12);
    expect(new Set(costs.slice(1)).size).toBe(1);
  });
});
