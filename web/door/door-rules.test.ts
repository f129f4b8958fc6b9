import { describe, expect, it } from 'vitest';
import { ServerClock } from './clock.ts';
import { readShortCode } from './code-hash.ts';
import { CodesInView } from './codes-in-view.ts';
import { readPairing } from './pairing.ts';
import { review } from './review.ts';
import type { ScanRow } from './scan-log.ts';

describe('the codes in view', () => {
  it('are announced once until they leave the view', () => {
    const view = new CodesInView();
    expect(view.see(['a'], 0)).toEqual(['a']);
    view.announce('a');
    expect(view.see(['a', 'b'], 100)).toEqual(['b']);
    expect(view.see(['a', 'b'], 200)).toEqual(['b']);
    view.announce('b');
    // One or two blurred frames are not enough, however long they take.
    for (const at of [5_000, 9_000]) view.see([], at);
    expect(view.see(['a'], 9_100)).toEqual([]);
    // Nor are many frames within a short time.
    for (let at = 9_200; at < 9_900; at += 10) view.see([], at);
    expect(view.see(['a'], 9_950)).toEqual([]);
    for (const at of [11_000, 11_010, 11_020]) view.see([], at);
    expect(view.see(['a', 'a'], 11_030)).toEqual(['a']);
  });
});

describe('the clock of the server', () => {
  it('is measured from the middle of a round trip, and short round trips win', () => {
    let now = 1_000_000;
    const clock = new ServerClock(0, () => now);
    clock.measure({ serverNow: 5_000_100, sentAt: now, receivedAt: now + 200 });
    expect(clock.now()).toBe(5_000_000);
    clock.measure({ serverNow: 9_999_999, sentAt: now, receivedAt: now + 5_000 });
    expect(clock.offset).toBe(4_000_000);
    clock.measure({ serverNow: 4_500_010, sentAt: now, receivedAt: now + 20 });
    expect(clock.offset).toBe(3_500_000);
    now += 120_000;
    clock.measure({ serverNow: 1_000_000, sentAt: now, receivedAt: now + 5_000 });
    expect(clock.now()).toBe(1_000_000 - 2_500);
  });
});

describe('the review of a scan', () => {
  const row = (shown: string | null, result: string | null, undone = false) =>
    ({ shown, server: result && { result }, undone }) as unknown as ScanRow;

  it.each([
    ['admitted', 'admitted', { attention: null, undo: false }],
    ['admitted', 'already_used', { attention: 'double', undo: false }],
    ['admitted', 'refunded', { attention: 'refunded', undo: false }],
    ['admitted', 'unknown', { attention: 'refused', undo: false }],
    // The guest was sent away, so the entry that the server has counted must not stay.
    ['unknown', 'admitted', { attention: null, undo: true }],
    ['already_used', 'refunded', { attention: null, undo: false }],
    ['admitted', null, { attention: null, undo: false }],
    [null, 'already_used', { attention: null, undo: false }],
  ])('shown %s, decided %s', (shown, result, expected) => {
    expect(review(row(shown, result))).toEqual(expected);
  });

  it('leaves scans that were undone', () => {
    expect(review(row('admitted', 'already_used', true))).toEqual({ attention: null, undo: false });
  });
});

describe('texts', () => {
  it('of pairing codes contain the token and the event', () => {
    const token = 'tsd_12_Jx2tO0sYQ7mXG8cK1b5vPz9LrN4aWdE-';
    expect(readPairing(`https://tickets.example.com/door/#pair=${token}`)).toEqual({ token, eventId: 12 });
    for (const text of ['https://tickets.example.com/door/', token, '#pair=eyJhbGciOi', '#pair=tsd_x_y', ''])
      expect(readPairing(text)).toBeNull();
  });

  it('of short codes are read with confused letters, and in any case', () => {
    expect(['7K3M-9PQ2', ' 7k3m 9pq2', 'OIL0-0000', '7K3M-9PQU', '7K3M-9PQ', 'A7K3M-9PQ2', '7K3M-9PQ2-7K3M-9'].map(readShortCode)).toEqual([
      '7K3M9PQ2',
      '7K3M9PQ2',
      '01100000',
      null,
      null,
      'A7K3M9PQ2',
      null,
    ]);
  });
});
