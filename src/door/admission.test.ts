import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUndone, judgeUndo, settle } from './admission.ts';
import { createEntrance, placeKey, type Scanned } from './entrance.ts';
import type { Subject } from './examine.ts';

const session = { id: 1, name: 'Night', startsAt: 0, finishesAt: 3_600_000 };
const subjectOf = (ticketId: number): Subject => ({
  ticketId,
  codeId: null,
  importedCodeId: null,
  itemId: 1,
  holder: null,
  refunded: false,
  sessions: [session],
});

type State = Scanned['state'];

/** Two devices, few tickets and few moments, so that everything collides; some scans are taken back, in time or not. */
const log = fc
  .array(
    fc.record({
      device: fc.constantFrom('a', 'b'),
      ticket: fc.integer({ min: 1, max: 3 }),
      at: fc.integer({ min: 0, max: 6 }).map((n) => n * 10_000),
      undoAfter: fc.option(fc.constantFrom(0, 30_000, 30_001), { freq: 3 }),
    }),
    { maxLength: 12 },
  )
  .map((entries) => entries.map((entry, i) => ({ ...entry, nonce: `${entry.device}${i}`, gate: null, state: 'refused' as State })));

type Log = typeof log extends fc.Arbitrary<infer L> ? L : never;

const undosOf = (entries: Log) =>
  entries.flatMap(({ nonce, device, at, undoAfter }) => (undoAfter === null ? [] : [{ undoes: nonce, device, at: at + undoAfter }]));

/** What the whole log comes to, said without regard to any order: the smallest of each ticket, and the rest. */
function expected(entries: Log) {
  const good = entries
    .filter((entry) => !isUndone(entry, undosOf(entries)))
    .toSorted((a, b) => a.at - b.at || (a.device < b.device ? -1 : a.device > b.device ? 1 : 0) || (a.nonce < b.nonce ? -1 : 1));
  const inside = new Map<number, string>();
  const doubles: string[] = [];
  for (const { ticket, nonce } of good) {
    if (inside.has(ticket)) doubles.push(nonce);
    else inside.set(ticket, nonce);
  }
  return { inside: Object.fromEntries(inside), doubles: doubles.toSorted() };
}

/** The same in the order of arrival, in batches; what a batch leaves is where the next begins. */
function arrived(batches: readonly Log[], undos: ReturnType<typeof undosOf>) {
  const subjects = new Map([1, 2, 3].map((ticket) => [ticket, subjectOf(ticket)]));
  const inside = new Map<string, Log[number]>();
  const told = new Map<number, number>();
  for (const batch of batches) {
    const entrance = createEntrance(inside, undos);
    for (const entry of batch) {
      const { result } = entrance.scan(entry, subjects.get(entry.ticket), undefined);
      if (result === 'admitted') told.set(entry.ticket, (told.get(entry.ticket) ?? 0) + 1);
    }
    for (const entry of batch) if (entry.state === 'inside') inside.set(placeKey(entry.ticket, null, session.id), entry);
  }
  const doubles = batches.flat().filter(({ state }) => state === 'double');
  const state = {
    inside: Object.fromEntries([...inside.values()].map(({ ticket, nonce }) => [ticket, nonce])),
    doubles: doubles.map(({ nonce }) => nonce).toSorted(),
  };
  return { state, told };
}

/** Any order in which two devices may send what they have, cut into batches anywhere. */
const arrival = log.chain((entries) =>
  fc
    .tuple(
      fc.shuffledSubarray(entries, { minLength: entries.length, maxLength: entries.length }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 12, maxLength: 12 }),
    )
    .map(([shuffled, sizes]) => {
      const batches: Log[] = [];
      for (let from = 0, i = 0; from < shuffled.length; i++) {
        batches.push(shuffled.slice(from, from + (sizes[i] ?? 1)));
        from += sizes[i] ?? 1;
      }
      return { entries, batches };
    }),
);

describe('scans of several devices', () => {
  it('come to the same in any order and in any batches: no double entry is lost, none is made up', () => {
    fc.assert(
      fc.property(arrival, ({ entries, batches }) => {
        expect(arrived(batches, undosOf(entries)).state).toEqual(expected(entries));
      }),
      { numRuns: 500 },
    );
  });

  it('let nobody in twice: admitted is told once for a ticket, unless it was taken back', () => {
    fc.assert(
      fc.property(arrival, ({ entries, batches }) => {
        const none = entries.map((entry) => ({ ...entry, undoAfter: null }));
        const { told } = arrived(batches, undosOf(none));
        expect([...told.values()].every((times) => times === 1)).toBe(true);
      }),
    );
  });

  it('settle by time, then device, then nonce', () => {
    const scan = (at: number, device: string, nonce: string) => ({ at, device, nonce });
    const inOrder = [scan(1, 'b', 'x'), scan(2, 'a', 'y'), scan(2, 'a', 'z'), scan(2, 'b', 'a')];
    for (let i = 0; i < inOrder.length; i++) expect(settle(inOrder.slice(i).toReversed()).admission).toBe(inOrder[i]);
    expect(settle([])).toEqual({ admission: null, doubles: [] });
  });
});

describe('taking a scan back', () => {
  const scan = { nonce: 'n', at: 100_000, device: 'a' };
  it.each([
    ['at once', 0, 'a', 'undone'],
    ['after 30 seconds', 30_000, 'a', 'undone'],
    ['after more', 30_001, 'a', 'too_late'],
    ['before it was made', -1, 'a', 'too_late'],
    ['by another device', 0, 'b', 'other_device'],
  ])('%s', (_name, after, device, result) => expect(judgeUndo({ undoes: 'n', at: scan.at + after, device }, scan)).toBe(result));
  it('before it is known', () => expect(judgeUndo({ undoes: 'n', at: 0, device: 'a' }, undefined)).toBe('waiting'));
});
