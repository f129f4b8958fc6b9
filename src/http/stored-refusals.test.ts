import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { type Caller, noon } from '../../test/world.ts';
import { Problem } from '../kernel/problem.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { forgetOldKeys } from './idempotency.ts';
import { decodeResponse, encodeResponse, problemResponse } from './stored-response.ts';

const world = useWorld();

const order = (items: object[], key: string, as?: Caller) =>
  world.call('POST', '/orders', {
    ...(as && { as }),
    body: { eventId: world.event, items, buyer: { name: 'Ana Souza', email: 'ana@test.test' } },
    headers: { 'idempotency-key': key },
  });

/** Ids that compress badly and are the same in every run. */
const idOf = (i: number) => Number(`1${createHash('sha256').update(`item ${i}`).digest().readBigUInt64BE()}`.slice(0, 15));
const unknownItems = Array.from({ length: 20 }, (_, i) => ({ itemId: idOf(i), quantity: 1 }));

async function storedBytes(): Promise<number[]> {
  const { rows } = await world.pool.query<{ bytes: number }>('select pg_column_size(answer) as bytes from idempotency_key');
  return rows.map(({ bytes }) => bytes);
}

const forgetAfter = (hours: number) => inTransaction(world.db, {}, (tx) => forgetOldKeys(tx, new Date(noon.getTime() + hours * 3_600_000)));

describe('a stored problem response', () => {
  it('is stored in less than 800 bytes when it has 20 errors', async () => {
    await world.db.deleteFrom('idempotency_key').execute();
    const refused = await order(unknownItems, 'large');
    expect([refused.statusCode, refused.body.length > 2_500]).toEqual([422, true]);
    const [bytes] = await storedBytes();
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(800);
  });

  it('is stored in less than 300 bytes when it has one error', async () => {
    await world.db.deleteFrom('idempotency_key').execute();
    expect((await order([{ itemId: world.item, quantity: 1000 }], 'small')).statusCode).toBe(422);
    const [bytes] = await storedBytes();
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(300);
  });

  it('is replayed with the same status, headers and body', async () => {
    for (const [key, items] of [
      ['again', unknownItems],
      ['once more', [{ itemId: world.item, quantity: 1000 }]],
    ] as const) {
      const [first, second] = [await order([...items], key.replace(' ', '-')), await order([...items], key.replace(' ', '-'))];
      expect([second.statusCode, second.headers['idempotency-replayed']]).toEqual([422, 'true']);
      expect(second.headers['content-type']).toBe(first.headers['content-type']);
      expect(second.body).toBe(first.body);
    }
  });

  it('is kept 24 hours for an anonymous caller and 7 days for a signed-in caller', async () => {
    await world.db.deleteFrom('idempotency_key').execute();
    await order(unknownItems, 'anonymous');
    await order(unknownItems, 'signed-in', 'owner');
    expect(await forgetAfter(23.9)).toBe(0);
    expect(await forgetAfter(24.1)).toBe(1);
    expect((await order(unknownItems, 'signed-in', 'owner')).headers['idempotency-replayed']).toBe('true');
    expect((await order(unknownItems, 'anonymous')).headers['idempotency-replayed']).toBeUndefined();
    await world.db.deleteFrom('idempotency_key').where('caller', '=', 'anonymous').execute();
    expect(await forgetAfter(7 * 24 - 0.1)).toBe(0);
    expect(await forgetAfter(7 * 24 + 0.1)).toBe(1);
  });

  it('a successful response to an anonymous caller is kept 7 days', async () => {
    await world.db.deleteFrom('idempotency_key').execute();
    expect((await order([{ itemId: world.item, quantity: 1 }], 'bought')).statusCode).toBe(201);
    expect(await forgetAfter(7 * 24 - 0.1)).toBe(0);
    expect(await forgetAfter(7 * 24 + 0.1)).toBe(1);
  });
});

describe('encodeResponse', () => {
  it('decodeResponse returns the encoded response, for problems and for a success', () => {
    const errors = [{ in: 'body' as const, field: 'name', code: 'limit', message: 'Too long' }];
    const problems = [
      new Problem('not_found'),
      new Problem('wrong_state', 'The order is paid'),
      new Problem('rule_violation', 'Too long', { errors }),
      new Problem('rule_violation', 'Something else', { errors }),
      new Problem('sold_out', 'None left', { extra: { lines: [{ itemId: 1, remaining: 0 }] }, headers: { 'x-one': '1' } }),
    ];
    const success = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"code":"A1"}' };
    for (const sent of [...problems.map((problem) => problemResponse(problem, 'request-1')), success]) {
      for (const token of [null, 7]) {
        const { status, headers, body } = sent;
        const decoded = decodeResponse(encodeResponse(sent, token) ?? Buffer.alloc(0));
        expect(decoded).toMatchObject({ sent: { status, headers, body }, token });
      }
    }
  });

  it('returns null for a problem that is larger than 2,000 bytes when compressed', () => {
    const text = Array.from({ length: 1_000 }, (_, i) => ((i * 2_654_435_761) % 4_294_967_291).toString(36)).join('');
    expect(encodeResponse(problemResponse(new Problem('wrong_state', text), 'request-1'), null)).toBeNull();
    expect(encodeResponse({ status: 200, headers: {}, body: text }, null)).not.toBeNull();
  });
});
