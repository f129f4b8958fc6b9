import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupBy } from '../kernel/group-by.ts';
import { decideUndo, isUndone, maxEntries, settle } from './admission.ts';
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
      direction: fc.constantFrom('in', 'in', 'out'),
      undoAfter: fc.option(fc.constantFrom(0, 30_000, 30_001), { freq: 3 }),
    }),
    { maxLength: 14 },
  )
  .map((entries) => entries.map((entry, i) => ({ ...entry, nonce: `${entry.device}${i}`, gate: null, state: 'refused' as State })));

type Log = typeof log extends fc.Arbitrary<infer L> ? L : never;

const undosOf = (entries: Log) =>
  entries.flatMap(({ nonce, device, at, undoAfter }) => (undoAfter === null ? [] : [{ undoes: nonce, device, at: at + undoAfter }]));

type Reentry = keyof typeof maxEntries;

/**
 * Computes the expected states from the whole sorted log of each ticket, in another way than the code: an entry counts if no entry is before
 * it, or an exit is between. An exit counts if it is the first after such an entry.
 */
function expected(entries: Log, reentry: Reentry): Record<string, State> {
  const states: Record<string, State> = {};
  for (const ticket of [1, 2, 3]) {
    const ofTicket = entries.filter((entry) => entry.ticket === ticket && (entry.direction === 'in' || reentry !== 'none'));
    const good = ofTicket
      .filter((entry) => !isUndone(entry, undosOf(entries)))
      .toSorted((a, b) => a.at - b.at || (a.device < b.device ? -1 : a.device > b.device ? 1 : 0) || (a.nonce < b.nonce ? -1 : 1));
    for (const { nonce } of ofTicket) states[nonce] = 'undone';
    let entry = 0;
    for (const [i, { nonce, direction }] of good.entries()) {
      const before = good[i - 1]?.direction;
      const first = direction !== before;
      if (direction === 'in' && first) entry++;
      const counts = first && entry > 0 && entry <= maxEntries[reentry];
      if (direction === 'in') states[nonce] = counts ? (entry === 1 ? 'inside' : 'reentered') : 'double';
      else states[nonce] = counts ? 'exited' : 'unmatched';
    }
  }
  for (const { nonce, direction } of entries) if (direction === 'out' && reentry === 'none') states[nonce] = 'refused';
  return states;
}

/** Computes the actual result batch by batch. Each batch starts with the scans that the previous batches have stored. */
function replay(batches: readonly Log[], undos: ReturnType<typeof undosOf>, reentry: Reentry) {
  const ticketsByKey = new Map([1, 2, 3].map((ticket) => [ticket, ticketOf(ticket)]));
  const stored: Log = [];
  const admittedCount = new Map<number, number>();
  for (const batch of batches) {
    const counted = stored.filter(({ state }) => (reentry === 'none' ? state === 'inside' : state !== 'undone' && state !== 'refused'));
    const entrance = createEntrance(
      groupBy(counted, ({ ticket }) => slotKey(ticket, null, session.id)),
      undos,
      reentry,
    );
    for (const entry of batch) {
      const { result } = entrance.decide(entry, ticketsByKey.get(entry.ticket), undefined);
      if (result === 'admitted') admittedCount.set(entry.ticket, (admittedCount.get(entry.ticket) ?? 0) + 1);
    }
    stored.push(...batch);
  }
  return { states: Object.fromEntries(stored.map(({ nonce, state }) => [nonce, state])), admittedCount };
}

const rule = fc.constantFrom<Reentry>('none', 'once', 'unlimited');

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
  it('finds the same entries, exits and double entries for any order of arrival and any batches', () => {
    fc.assert(
      fc.property(arrival, rule, ({ entries, batches }, reentry) => {
        expect(replay(batches, undosOf(entries), reentry).states).toEqual(expected(entries, reentry));
      }),
      { numRuns: 1_500 },
    );
  });

  it('returns admitted once, or at most as often as the guest has entered if re-entry is allowed, if no scan is undone', () => {
    fc.assert(
      fc.property(arrival, rule, ({ batches }, reentry) => {
        const { admittedCount, states } = replay(batches, [], reentry);
        for (const ticket of [1, 2, 3]) {
          const entered = batches
            .flat()
            .filter(({ nonce, ...entry }) => entry.ticket === ticket && /inside|reentered/.test(states[nonce] ?? ''));
          const admitted = admittedCount.get(ticket) ?? 0;
          // Exits that arrive late can turn double entries into re-entries.
          expect(admitted).toBeLessThanOrEqual(entered.length);
          expect(admitted).toBeGreaterThanOrEqual(Math.min(entered.length, 1));
          expect(entered.length).toBeLessThanOrEqual(maxEntries[reentry]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('settle orders scans by time, then device, then nonce', () => {
    const scan = (at: number, device: string, nonce: string) => ({ at, device, nonce, direction: 'in' as const });
    const inOrder = [scan(1, 'b', 'x'), scan(2, 'a', 'y'), scan(2, 'a', 'z'), scan(2, 'b', 'a')];
    for (let i = 0; i < inOrder.length; i++) expect(settle(inOrder.slice(i).toReversed(), 1).admission).toBe(inOrder[i]);
    expect(settle([], 1)).toMatchObject({ admission: null, entries: 0, exits: 0 });
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
