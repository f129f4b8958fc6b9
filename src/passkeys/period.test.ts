import { describe, expect, it } from 'vitest';
import { readPeriod } from './period.ts';

const none = { start: null, finish: null };
const read = (zone: string, start: string, finish: string) => {
  const period = readPeriod({ start, finish }, none, zone);
  return [period.start?.toISOString(), period.finish?.toISOString()];
};

describe('readPeriod with a date without a time', () => {
  it.each([
    ['America/Sao_Paulo', '2026-03-05', '2026-03-05T03:00:00.000Z', '2026-03-06T02:59:59.000Z'],
    ['Asia/Kathmandu', '2026-03-05', '2026-03-04T18:15:00.000Z', '2026-03-05T18:14:59.000Z'],
    ['Pacific/Auckland', '2026-03-05', '2026-03-04T11:00:00.000Z', '2026-03-05T10:59:59.000Z'],
    // This day has 23 hours, because the clocks skip midnight.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', '2018-11-05T01:59:59.000Z'],
    // This day has 25 hours, because the clocks repeat its last hour.
    ['America/Sao_Paulo', '2018-02-17', '2018-02-17T02:00:00.000Z', '2018-02-18T02:59:59.000Z'],
  ])('returns the first and last second of the day in %s, %s', (zone, day, first, last) => {
    expect(read(zone, day, day)).toEqual([first, last]);
  });

  it('throws for a date that the time zone skipped', () => {
    expect(() => read('Pacific/Apia', '2011-12-30', '2011-12-31')).toThrow('does not exist in Pacific/Apia');
  });
});
