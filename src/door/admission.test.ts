import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideUndo, isUndone, pickAdmission } from './admission.ts';
import { createEntrance, type EntranceScan, slotKey } from './entrance.ts';
import type { AdmissibleTicket } from './scan-validity.ts';

const session = { id: 1, name: 'Night', startsAt: 0, finishesAt: 3_600_000 };
const ticketOf = (ticketId: number): AdmissibleTicket => ({
  ticketId,
  codeId: null,
  importedCodeId: null,
  itemId: 1,
  holder: null,
  refunded: false,
  refusedAsDisputed: false,
  sessions: [session],
});

type State = EntranceScan['state'];

/** A random log with few devices, tickets and times, so that scans collide. Some scans are undone, within the undo window or too late. */
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

/** Computes the expected result from the whole sorted log: the first scan of each ticket is inside, the others are doubles. */
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

/** Computes the actual result batch by batch. Each batch starts with the admissions of the previous batch. */
function replay(batches: readonly Log[], undos: ReturnType<typeof undosOf>) {
  const ticketsByKey = new Map([1, 2, 3].map((ticket) => [ticket, ticketOf(ticket)]));
  const inside = new Map<string, Log[number]>();
  const admittedCount = new Map<number, number>();
  for (const batch of batches) {
    const entrance = createEntrance(inside, undos);
    for (const entry of batch) {
      const { result } = entrance.decide(entry, ticketsByKey.get(entry.ticket), undefined);
      if (result === 'admitted') admittedCount.set(entry.ticket, (admittedCount.get(entry.ticket) ?? 0) + 1);
    }
    for (const entry of batch) if (entry.state === 'inside') inside.set(slotKey(entry.ticket, null, session.id), entry);
  }
  const doubles = batches.flat().filter(({ state }) => state === 'double');
  const state = {
    inside: Object.fromEntries([...inside.values()].map(({ ticket, nonce }) => [ticket, nonce])),
    doubles: doubles.map(({ nonce }) => nonce).toSorted(),
  };
  return { state, admittedCount };
}

/** The scans of a log in random order, split into batches of random sizes. */
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

describe('createEntrance', () => {
  it('finds the same admissions and double entries for any order of arrival and any batches', () => {
    fc.assert(
      fc.property(arrival, ({ entries, batches }) => {
        expect(replay(batches, undosOf(entries)).state).toEqual(expected(entries));
      }),
      { numRuns: 500 },
    );
  });

  it('returns admitted once per ticket if no scan is undone', () => {
    fc.assert(
      fc.property(arrival, ({ entries, batches }) => {
        const withoutUndos = entries.map((entry) => ({ ...entry, undoAfter: null }));
        const { admittedCount } = replay(batches, undosOf(withoutUndos));
        expect([...admittedCount.values()].every((times) => times === 1)).toBe(true);
      }),
    );
  });

  it('pickAdmission orders scans by time, then device, then nonce', () => {
    const scan = (at: number, device: string, nonce: string) => ({ at, device, nonce });
    const inOrder = [scan(1, 'b', 'x'), scan(2, 'a', 'y'), scan(2, 'a', 'z'), scan(2, 'b', 'a')];
    for (let i = 0; i < inOrder.length; i++) expect(pickAdmission(inOrder.slice(i).toReversed()).admission).toBe(inOrder[i]);
    expect(pickAdmission([])).toEqual({ admission: null, doubles: [] });
  });
});

describe('decideUndo', () => {
  const scan = { nonce: 'n', at: 100_000, device: 'a' };
  it.each([
    ['returns undone immediately after the scan', 0, 'a', 'undone'],
    ['returns undone 30 seconds after the scan', 30_000, 'a', 'undone'],
    ['returns too_late more than 30 seconds after the scan', 30_001, 'a', 'too_late'],
    ['returns too_late for a time before the scan', -1, 'a', 'too_late'],
    ['returns other_device for another device', 0, 'b', 'other_device'],
  ])('%s', (_name, after, device, result) => expect(decideUndo({ undoes: 'n', at: scan.at + after, device }, scan)).toBe(result));
  it('returns waiting if the scan is not in the log', () =>
    expect(decideUndo({ undoes: 'n', at: 0, device: 'a' }, undefined)).toBe('waiting'));
});
