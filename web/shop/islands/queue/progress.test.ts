import { describe, expect, it } from 'vitest';
import type { Queue } from '../../../../src/waiting-room/contract.ts';
import { enQueue } from '../../../messages/queue.en.ts';
import { countdownText, progressOf } from './progress.ts';

const opening = Date.parse('2026-11-20T13:00:00.000Z');
const queueWith = (perMinute: number, state: Queue['state'] = 'open'): Queue => ({
  eventId: 1,
  state,
  opensAt: '2026-11-20T13:00:00.000Z',
  minutes: 10,
  watermark: { place: 0, at: '2026-11-20T13:00:00.000Z', perMinute },
  nextChange: null,
  draw: { commitment: '', seed: null, first: 1, last: 100 },
});
const at = (minutes: number, place: number, perMinute = 60) =>
  progressOf(place, queueWith(perMinute), opening + minutes * 60_000, { t: enQueue.queue, locale: 'en' });

describe('progressOf', () => {
  it('counts the people ahead, and says an honest range', () => {
    expect(at(0, 600)).toEqual({ isTurn: false, aheadText: '599 people are ahead of you.', waitText: 'about 8 to 13 minutes', percent: 0 });
    expect(at(5, 600)).toMatchObject({ aheadText: '299 people are ahead of you.', waitText: 'about 4 to 7 minutes', percent: 50 });
    expect(at(9.5, 600)).toMatchObject({ isTurn: false, waitText: 'less than a minute' });
  });

  it('knows the turn, the next place, and a paused queue', () => {
    expect(at(10, 600)).toMatchObject({ isTurn: true, percent: 100 });
    expect(at(0, 1)).toMatchObject({ isTurn: false, aheadText: 'You are next.' });
    expect(at(5, 600, 0)).toMatchObject({ isTurn: false, waitText: 'not known now' });
  });
});

describe('countdownText', () => {
  it('shows hours only if there are any', () => {
    expect([countdownText(3_909_000), countdownText(61_000), countdownText(-5)]).toEqual(['1:05:09', '1:01', '0:00']);
  });
});
