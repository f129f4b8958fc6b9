import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isShortCode, shortCodesOf } from './short-code.ts';

const newCodes = () => shortCodesOf({ eventId: 12, kid: 0, privateKey: generateKeyPairSync('ed25519').privateKey });
const codes = newCodes();
const ticketId = fc.integer({ min: 1, max: 2 ** 40 - 1 });

describe('short codes', () => {
  it('are the id and four check letters, and are decoded to the id', () => {
    fc.assert(
      fc.property(ticketId, (id) => {
        const code = codes.encode(id);
        expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4,8}-[0-9A-HJKMNP-TV-Z]{4}$/);
        expect(codes.decode(code)).toBe(id);
      }),
    );
  });

  it('have 8 letters for the first million tickets', () => {
    expect([1, 5001, 2 ** 20 - 1].map((id) => codes.encode(id).length)).toEqual([9, 9, 9]);
    expect(codes.encode(2 ** 20)).toHaveLength(10);
  });

  it('are decoded however people type them', () => {
    const code = codes.encode(5001);
    const typed = [
      code.toLowerCase(),
      code.replace('-', ''),
      code.replace('-', ' '),
      ` ${code}`,
      code.replaceAll('0', 'O').replaceAll('1', 'l'),
    ];
    expect(typed.map((text) => codes.decode(text))).toEqual(typed.map(() => 5001));
  });

  it('of another event, of another ticket and with another check letter are refused', () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => 5_000 + i);
    const checkOfNeighbour = (id: number) => codes.encode(id).slice(0, 5) + codes.encode(id + 1).slice(5);
    const guesses = ids.flatMap((id) => [newCodes().encode(id), checkOfNeighbour(id)]);
    // By chance, one of a million guesses is right.
    expect(guesses.filter((code) => codes.decode(code) !== null).length).toBeLessThan(3);
  });

  it.each(['', '7K3M-9PQ', '7K3M-9PQ2-7K3M-9', '7K3M-9PQU', '7K3M9PQ2 and more', 'á'])('refuses %j', (text) => {
    expect([codes.decode(text), isShortCode(text)]).toEqual([null, false]);
  });
});
