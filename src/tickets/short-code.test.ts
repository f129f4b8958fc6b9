import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isShortCode, shortCodesOf } from './short-code.ts';

const newCodes = () => shortCodesOf({ eventId: 12, kid: 0, privateKey: generateKeyPairSync('ed25519').privateKey });
const codes = newCodes();
const largest = 2 ** 40 - 1;
const ticketId = fc.integer({ min: 0, max: largest });

describe('short codes', () => {
  it('have 8 characters of the alphabet and are decoded to the id of the ticket', () => {
    fc.assert(
      fc.property(ticketId, (id) => {
        const [code = ''] = codes.encode([id]);
        expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
        expect(codes.decode(code)).toBe(id);
      }),
    );
    expect(codes.encode([0, largest]).map((code) => codes.decode(code))).toEqual([0, largest]);
  });

  it('are decoded however people type them', () => {
    const id = 5001;
    const [code = ''] = codes.encode([id]);
    const typed = [
      code.toLowerCase(),
      code.replace('-', ''),
      code.replace('-', ' '),
      ` ${code}`,
      code.replaceAll('0', 'O').replaceAll('1', 'l'),
    ];
    expect(typed.map((text) => codes.decode(text))).toEqual(typed.map(() => id));
  });

  it('are different for neighbouring tickets and for other events', () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => 5_000 + i);
    const ofEvents = [codes.encode(ids), newCodes().encode(ids)].flat();
    expect(new Set(ofEvents).size).toBe(2 * ids.length);
    // Neighbours must not share a beginning more often than by chance.
    expect(new Set(codes.encode(ids).map((code) => code.slice(0, 4))).size).toBeGreaterThan(980);
  });

  it.each(['', '7K3M-9PQ', '7K3M-9PQ22', '7K3M-9PQU', '7K3M9PQ2 and more', 'á'])('refuses %j', (text) => {
    expect([codes.decode(text), isShortCode(text)]).toEqual([null, false]);
  });

  it('throws for an id that does not fit', () => {
    expect(() => codes.encode([2 ** 40])).toThrow(RangeError);
  });
});
