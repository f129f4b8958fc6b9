import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signTicket } from '../../test/ticket-codes.ts';
import { fromBase32, toBase32 } from './base32.ts';
import { readTicketCode, signTickets, type TicketKey, type TicketPublicKey, verifyTicketCode } from './ticket-code.ts';

type KeyPair = TicketKey & TicketPublicKey;

const pair = generateKeyPairSync('ed25519');
const otherPair = generateKeyPairSync('ed25519');
const keyOf = (eventId: number, kid: number): KeyPair => ({ eventId, kid, ...pair });

const id = fc.oneof(fc.maxSafeNat(), fc.nat(300), fc.constantFrom(0, 0x7f, 0x80, 0x3fff, 0x4000, 2 ** 32, Number.MAX_SAFE_INTEGER));
const ticket = fc.record({ eventId: id, ticketId: id, kid: fc.nat(255) });

const alphabet = Array.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ');

describe('a ticket code', () => {
  it('contains the event, ticket and key number, and is the same each time the ticket is signed', async () => {
    await fc.assert(
      fc.asyncProperty(ticket, async ({ eventId, ticketId, kid }) => {
        const key = keyOf(eventId, kid);
        const code = await signTicket(key, ticketId);
        expect(readTicketCode(code)).toEqual({ eventId, ticketId, kid });
        expect(await verifyTicketCode(code, [key])).toEqual({ eventId, ticketId, kid });
        expect(await signTicket(key, ticketId)).toBe(code);
      }),
    );
  });

  it('is returned for each ticket of signTickets', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => i * i);
    const codes = await signTickets(keyOf(7, 3), ids);
    expect([...codes].map(([ticketId, code]) => [ticketId, readTicketCode(code)])).toEqual(
      ids.map((ticketId) => [ticketId, { eventId: 7, ticketId, kid: 3 }]),
    );
  });

  it('has 109 to 132 upper-case letters and digits that are not easily confused', async () => {
    await fc.assert(
      fc.asyncProperty(ticket, async ({ eventId, ticketId, kid }) => {
        expect(await signTicket(keyOf(eventId, kid), ticketId)).toMatch(/^[0-9A-HJKMNP-TV-Z]{109,132}$/);
      }),
    );
  });

  it('is accepted in any case, in groups, over several lines, with O for 0, and with I or L for 1', async () => {
    await fc.assert(
      fc.asyncProperty(ticket, async ({ eventId, ticketId, kid }) => {
        const key = keyOf(eventId, kid);
        const code = await signTicket(key, ticketId);
        const spellings = [
          code.toLowerCase(),
          ` ${code}\r\n`,
          code.replaceAll(/.{4}/g, '$&-'),
          code.replaceAll(/.{40}/g, '$&\n'),
          code.replaceAll('0', 'O').replaceAll('1', 'I'),
          code.replaceAll('0', 'o').replaceAll('1', 'l'),
        ];
        for (const spelling of spellings) expect(await verifyTicketCode(spelling, [key])).toEqual({ eventId, ticketId, kid });
      }),
    );
  });

  it('is rejected after a change of any bit', async () => {
    await fc.assert(
      fc.asyncProperty(ticket, fc.nat(), async ({ eventId, ticketId, kid }, at) => {
        const bytes = fromBase32(await signTicket(keyOf(eventId, kid), ticketId)) ?? Buffer.alloc(0);
        const bit = at % (bytes.length * 8);
        const byte = bytes[bit >> 3] ?? 0;
        bytes[bit >> 3] = byte ^ (1 << (bit & 7));
        const forged = toBase32(bytes);
        // The public key is registered under the event and key number of the changed code, so only the signature can reject it.
        const { eventId: named, kid: by } = readTicketCode(forged) ?? { eventId, kid };
        expect(await verifyTicketCode(forged, [keyOf(eventId, kid), keyOf(named, by)])).toBeNull();
      }),
    );
  });

  it('is rejected when a character is changed, missing or added', async () => {
    await fc.assert(
      fc.asyncProperty(
        ticket,
        fc.nat(),
        fc.constantFrom(...alphabet),
        fc.string(),
        async ({ eventId, ticketId, kid }, place, letter, more) => {
          const key = keyOf(eventId, kid);
          const code = await signTicket(key, ticketId);
          const at = place % code.length;
          const changed = [
            ...(code[at] === letter ? [] : [code.slice(0, at) + letter + code.slice(at + 1)]),
            code.slice(0, at) + code.slice(at + 1),
            code.slice(0, at) + letter + code.slice(at),
            ...(/^[\s-]*$/.test(more) ? [] : [code + more, more + code]),
          ];
          for (const text of changed) expect(await verifyTicketCode(text, [key])).toBeNull();
        },
      ),
    );
  });

  it('is rejected when the key belongs to another event, has another number, or is a different key', async () => {
    await fc.assert(
      fc.asyncProperty(ticket, id, async ({ eventId, ticketId, kid }, other) => {
        fc.pre(other !== eventId);
        const code = await signTicket(keyOf(eventId, kid), ticketId);
        expect(await verifyTicketCode(code, [])).toBeNull();
        expect(await verifyTicketCode(code, [keyOf(other, kid), keyOf(eventId, (kid + 1) % 256)])).toBeNull();
        expect(await verifyTicketCode(code, [{ eventId, kid, ...otherPair }])).toBeNull();
        // A key of one event cannot sign tickets of another event.
        const forged = await signTicket({ eventId, kid, ...otherPair }, ticketId);
        expect(await verifyTicketCode(forged, [keyOf(eventId, kid), { eventId: other, kid, ...otherPair }])).toBeNull();
      }),
    );
  });

  it('is rejected with a signature that the key made for another purpose', async () => {
    const claim = Buffer.from([1, 0, 7, 9]);
    const bare = toBase32(Buffer.concat([claim, sign(null, claim, pair.privateKey)]));
    expect(readTicketCode(bare)).toEqual({ kid: 0, eventId: 7, ticketId: 9 });
    expect(await verifyTicketCode(bare, [keyOf(7, 0)])).toBeNull();
  });

  it('is rejected with the signature of another ticket, a signature of zeros, and a malleated signature (S plus the group order)', async () => {
    const bytesOf = async (ticketId: number) => fromBase32(await signTicket(keyOf(7, 0), ticketId)) as Buffer;
    const [mine, other] = [await bytesOf(300), await bytesOf(301)];
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(mine.subarray(-32).toReversed()).toString('hex')}`) + order;
    const forged = [
      Buffer.concat([mine.subarray(0, -64), other.subarray(-64)]),
      Buffer.concat([mine.subarray(0, -64), Buffer.alloc(64)]),
      Buffer.concat([mine.subarray(0, -32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex').toReversed()]),
    ];
    for (const bytes of forged) expect(await verifyTicketCode(toBase32(bytes), [keyOf(7, 0)])).toBeNull();
    expect(await verifyTicketCode(toBase32(mine), [keyOf(7, 0)])).toEqual({ eventId: 7, ticketId: 300, kid: 0 });
  });

  it('has one encoding: overlong ids, other versions and trailing bytes are rejected', () => {
    const written = (...claim: number[]) => readTicketCode(toBase32(Buffer.concat([Buffer.from(claim), Buffer.alloc(64)])));
    expect(written(1, 0, 7, 9)).toEqual({ kid: 0, eventId: 7, ticketId: 9 });
    expect(written(1, 0, 0x87, 0x00, 9)).toBeNull();
    expect(written(1, 0, 7, 9, 9)).toBeNull();
    expect(written(1, 0, 7)).toBeNull();
    expect(written(1, 0, 7, 0x89)).toBeNull();
    expect(written(1, 0, 7, 9, 0x89)).toBeNull();
    expect(written(1, 0, 7, ...Array<number>(8).fill(0xff), 0x01)).toBeNull();
    expect(written(2, 0, 7, 9)).toBeNull();
  });

  it('cannot be read from arbitrary text', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: fc.constantFrom(...alphabet, 'O', 'l', '-', ' '), maxLength: 250 }),
      fc.uint8Array({ minLength: 60, maxLength: 90 }).map((bytes) => toBase32(Uint8Array.from([1, 0, ...bytes]))),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const { eventId, kid } = readTicketCode(text) ?? { eventId: 1, kid: 0 };
        expect(await verifyTicketCode(text, [keyOf(eventId, kid)])).toBeNull();
      }),
      { numRuns: 1_000 },
    );
    // A text above the length limit is rejected without decoding it.
    expect(readTicketCode((await signTicket(keyOf(7, 0), 9)) + ' '.repeat(1_000_000))).toBeNull();
  });

  it('cannot be created for an invalid id', async () => {
    for (const ticketId of [-1, 1.5, Number.NaN, 2 ** 53]) {
      await expect(signTicket(keyOf(7, 0), ticketId)).rejects.toThrow(RangeError);
    }
  });
});

describe('base32', () => {
  it('decodes its own encoding, and has only one text for the same bytes', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => Buffer.compare(fromBase32(toBase32(bytes)) ?? Buffer.alloc(0), bytes) === 0));
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...alphabet) }), (text) => {
        const bytes = fromBase32(text);
        return bytes === null || toBase32(bytes) === text;
      }),
    );
    // The padding bits of "01" are not zero; those of "04" are.
    expect([fromBase32('01'), fromBase32('04'), fromBase32('0')]).toEqual([null, Uint8Array.of(1), null]);
  });

  it('rejects letters outside the alphabet, even if their upper case is in it', () => {
    for (const letter of 'Uuſı!_ß０') expect(fromBase32(`0${letter}`), letter).toBeNull();
  });
});
