import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase32, toBase32 } from './base32.ts';
import { type CheckingKey, isTrue, toCheckingKey } from './ticket-check.ts';
import { readCode, signTicket, verifyTicketCode } from './ticket-code.ts';

const raw = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');

function makeKey(eventId: number, kid: number) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d, x } = privateKey.export({ format: 'jwk' });
  const checking: CheckingKey = toCheckingKey(eventId, kid, raw(x), raw(d));
  return { eventId, kid, privateKey, publicKey: createPublicKey(privateKey), checking };
}

const keys = [makeKey(7, 0), makeKey(7, 1), makeKey(8, 0)];
const checkingKeys = keys.map(({ checking }) => checking);
const check = (text: string) => {
  const code = readCode(text);
  return code && isTrue(code, checkingKeys) ? code.claim : null;
};
const both = (code: string) => [check(code), verifyTicketCode(code, keys)];
const ticketId = fc.maxSafeNat();
const key = fc.constantFrom(...keys);

describe('checking a code with the private key', () => {
  it('takes what verifying takes', () => {
    fc.assert(
      fc.property(key, ticketId, (by, id) => {
        const claim = { eventId: by.eventId, ticketId: id, kid: by.kid };
        expect(both(signTicket(by, claim))).toEqual([claim, claim]);
      }),
    );
  });

  it('refuses a code once any bit of it is another', () => {
    fc.assert(
      fc.property(key, ticketId, fc.nat(), (by, id, at) => {
        const bytes = fromBase32(signTicket(by, { eventId: by.eventId, ticketId: id })) ?? Buffer.alloc(0);
        const bit = at % (bytes.length * 8);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(both(toBase32(bytes))).toEqual([null, null]);
      }),
    );
  });

  it("refuses another ticket's signature, another key's, one of zeros, and S made larger by the order of the group", () => {
    const [mine, other] = [
      signTicket(keys[0] as never, { eventId: 7, ticketId: 300 }),
      signTicket(keys[0] as never, { eventId: 7, ticketId: 301 }),
    ];
    const [a, b] = [fromBase32(mine) as Buffer, fromBase32(other) as Buffer];
    const swapped = Buffer.concat([a.subarray(0, -64), b.subarray(-64)]);
    const zeros = Buffer.concat([a.subarray(0, -64), Buffer.alloc(64)]);
    const foreign = Buffer.concat([
      a.subarray(0, -64),
      (fromBase32(signTicket({ ...keys[1], kid: 0 } as never, { eventId: 7, ticketId: 300 })) as Buffer).subarray(-64),
    ]);
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(a.subarray(-32).toReversed()).toString('hex')}`) + order;
    const larger = Buffer.concat([a.subarray(0, -32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex').toReversed()]);
    for (const forged of [swapped, zeros, foreign, larger]) expect(both(toBase32(forged))).toEqual([null, null]);
    expect(both(mine)[0]).toEqual({ eventId: 7, ticketId: 300, kid: 0 });
  });

  it('refuses what is no code at all', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        expect(both(text)).toEqual([null, null]);
      }),
    );
  });
});
