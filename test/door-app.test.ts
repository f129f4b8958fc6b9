import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../src/door/contract.ts';
import { createEntrance, type EntranceScan } from '../src/door/entrance.ts';
import { readCode, signedMessage } from '../src/tickets/read-code.ts';
import { shortCodesOf } from '../src/tickets/short-code.ts';
import { decide, findTicket, type OwnScan } from '../web/door/decide.ts';
import { DoorManifest, slotKey } from '../web/door/manifest.ts';
import { createFallbackVerifier, isSignedBy } from '../web/door/verify-signature.ts';
import { randomTicketKey, signTicket } from './ticket-codes.ts';

const hour = 3_600_000;
const noon = Date.parse('2026-03-02T12:00:00.000Z');
const instant = (ms: number): string => new Date(ms).toISOString();
const salt = '5f0c1f6a1f5d4a0c8f6e3b2a1d0c9b8a';
const hashOf = (text: string, length: number): string =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(text).digest('hex').slice(0, length);

type Page = Partial<Manifest> & Pick<Manifest, 'tickets'>;

const page = (changes: Page): Manifest => ({
  eventId: 1,
  generatedAt: instant(noon),
  now: instant(noon),
  keys: [],
  sessions: [],
  items: [],
  disputedTickets: 'admit',
  reentry: 'none',
  codeSalt: salt,
  reset: false,
  codesReset: false,
  codes: [],
  admissions: [],
  next: 'n',
  more: false,
  ...changes,
});

const newManifest = (changes: Page): DoorManifest => {
  const manifest = new DoorManifest(page(changes));
  manifest.apply(page(changes));
  return manifest;
};

const ticketRow = (id: number, changes: Partial<Manifest['tickets'][number]> = {}): Manifest['tickets'][number] => ({
  id,
  itemId: 1,
  sessionIds: [],
  status: 'valid',
  disputed: false,
  codeHash: null,
  shortHash: null,
  ...changes,
});

describe('the door app reads codes', () => {
  it('that the server has signed, with the browser’s Ed25519 and with its own, and no forged ones', async () => {
    const key = randomTicketKey();
    const publicKey = key.publicKey.export({ format: 'jwk' }).x ?? '';
    const [code, forged] = [readCode(await signTicket(key, 5)), readCode(await signTicket(randomTicketKey(), 5))];
    const fallback = await createFallbackVerifier(new Uint8Array(Buffer.from(publicKey, 'base64url')));
    for (const [read, isValid] of [
      [code, true],
      [forged, false],
    ] as const) {
      if (!read) throw new Error('The code cannot be read');
      expect(await isSignedBy([{ kid: 0, publicKey }], read)).toBe(isValid);
      expect(await fallback(read.signature, signedMessage(read.signed))).toBe(isValid);
      expect(await isSignedBy([{ kid: 1, publicKey }], read)).toBe(false);
    }
  });

  it('that were imported, and short codes', async () => {
    const key = randomTicketKey();
    const shortCode = shortCodesOf(key).encode(6);
    const manifest = newManifest({
      tickets: [ticketRow(5, { codeHash: hashOf('ABC 1', 32) }), ticketRow(6, { shortHash: hashOf(shortCode.replace('-', ''), 10) })],
      codes: [{ id: 9, itemId: 1, sessionId: null, codeHash: hashOf('XYZ', 32) }],
    });
    const found = async (text: string) => {
      const ticket = await findTicket(manifest, text);
      return ticket && [ticket.ticketId, ticket.codeId];
    };
    expect(await found(' ABC 1 ')).toEqual([5, null]);
    expect(await found(shortCode.toLowerCase())).toEqual([6, null]);
    expect(await found('XYZ')).toEqual([null, 9]);
    expect(await found('ABC1')).toBeUndefined();
  });
});

describe('the manifest on the device', () => {
  it('is the same after it was stored, and follows changes and resets', () => {
    const entered = { ticketId: 5, codeId: null, sessionId: 7, at: instant(noon), gate: 'A', inside: true, entries: 1 };
    const manifest = newManifest({
      items: [{ id: 1, name: 'Pista', type: 'ticket', halfPrice: false, sessionIds: [] }],
      tickets: [ticketRow(5, { sessionIds: [7] }), ticketRow(6, { status: 'refunded' })],
      admissions: [{ ...entered, undone: false }],
    });
    const stored = DoorManifest.fromText(manifest.toText());
    for (const each of [manifest, stored]) {
      expect([each.ticket(5), each.ticket(6)?.refunded, each.ticket(7)]).toMatchObject([{ sessionIds: [7] }, true, undefined]);
      expect(each.admission(slotKey(5, null, 7))).toEqual({ at: noon, gate: 'A', inside: true, entries: 1 });
      expect(each.count(7)).toEqual({ inside: 1, expected: 1 });
    }
    stored.apply(page({ tickets: [ticketRow(5, { status: 'refunded' })], admissions: [{ ...entered, entries: 0, undone: true }] }));
    expect([stored.ticket(5)?.refunded, stored.admission(slotKey(5, null, 7)), stored.ticketCount]).toEqual([true, undefined, 2]);
    stored.apply(page({ reset: true, tickets: [ticketRow(8)] }));
    expect([stored.ticket(5), stored.ticketCount]).toEqual([undefined, 1]);
  });
});

/** Sessions, tickets and scans at random. Scans come in the order of their times, as on one device. */
const events = fc.record({
  sessions: fc.array(fc.record({ start: fc.integer({ min: -30, max: 30 }), hours: fc.integer({ min: 1, max: 8 }) }), { maxLength: 3 }),
  itemSessions: fc.subarray([1, 2, 3]),
  tickets: fc.array(fc.record({ sessionIds: fc.subarray([1, 2, 3]), refunded: fc.boolean(), disputed: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
  refusesDisputed: fc.boolean(),
  reentry: fc.constantFrom('none' as const, 'once' as const, 'unlimited' as const),
  scans: fc.array(
    fc.record({
      ticket: fc.integer({ min: 0, max: 4 }),
      after: fc.integer({ max: 12 * hour, min: 0 }),
      sessionId: fc.option(fc.constantFrom(1, 2, 3)),
      direction: fc.constantFrom('in' as const, 'in' as const, 'out' as const),
    }),
    { maxLength: 12 },
  ),
});

describe('the decision of the device', () => {
  it('is the decision of the server, for every ticket, session and time', () => {
    fc.assert(
      fc.property(events, ({ sessions, itemSessions, tickets, refusesDisputed, reentry, scans }) => {
        const doorSessions = sessions.map(({ start, hours }, i) => ({
          id: i + 1,
          name: `Session ${i + 1}`,
          startsAt: noon + start * hour,
          finishesAt: noon + (start + hours) * hour,
        }));
        const ids = doorSessions.map(({ id }) => id);
        const known = (list: number[]) => list.filter((id) => ids.includes(id));
        const manifest = newManifest({
          sessions: doorSessions.map(({ startsAt, finishesAt, ...session }) => ({
            ...session,
            startsAt: instant(startsAt),
            finishesAt: instant(finishesAt),
            opensAt: instant(startsAt),
            closesAt: instant(finishesAt),
          })),
          items: [{ id: 1, name: 'Pista', type: 'ticket', halfPrice: false, sessionIds: known(itemSessions) }],
          disputedTickets: refusesDisputed ? 'refuse' : 'admit',
          reentry,
          tickets: tickets.map(({ sessionIds, refunded, disputed }, i) =>
            ticketRow(i, { sessionIds: known(sessionIds), status: refunded ? 'refunded' : 'valid', disputed }),
          ),
        });
        const entrance = createEntrance(new Map(), [], reentry);
        const own = new Map<string, OwnScan[]>();
        let at = noon - 24 * hour;
        for (const [i, scan] of scans.entries()) {
          at += scan.after;
          const sessionId = scan.sessionId ?? undefined;
          const ticket = tickets[scan.ticket];
          const validFor = ticket && ([known(ticket.sessionIds), known(itemSessions)].find((list) => list.length > 0) ?? ids);
          const admissible = ticket && {
            ticketId: scan.ticket,
            codeId: null,
            importedCodeId: null,
            itemId: 1,
            holder: null,
            refunded: ticket.refunded,
            refusedAsDisputed: ticket.disputed && refusesDisputed,
            sessions: doorSessions.filter(({ id }) => validFor?.includes(id)),
          };
          const entry: EntranceScan = { nonce: `n${i}`, at, device: 'd', gate: 'A', direction: scan.direction, state: 'refused' };
          const server = entrance.decide(entry, admissible, sessionId);
          const local = decide(
            manifest,
            manifest.ticket(scan.ticket),
            { at, sessionId, direction: scan.direction },
            (slot) => own.get(slot) ?? [],
          );
          expect([local.result, local.sessionId, local.used?.at ?? null]).toEqual([
            server.result,
            server.session?.id ?? null,
            server.used?.at ?? null,
          ]);
          if (!['admitted', 'exited'].includes(local.result)) continue;
          const slot = slotKey(local.ticketId, local.codeId, local.sessionId);
          own.set(slot, [...(own.get(slot) ?? []), { ...entry, gate: 'A', undone: false }]);
        }
      }),
    );
  });
});
