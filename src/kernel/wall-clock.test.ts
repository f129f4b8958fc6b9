import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTimeZone, shiftPeriod, toInstant, toWallClock } from './wall-clock.ts';

const zones = ['America/Sao_Paulo', 'Europe/Lisbon', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns', 'Pacific/Apia', 'UTC'];
const anyZone = fc.constantFrom(...zones);
const anySecond = fc.integer({ min: Date.UTC(2000, 0, 1) / 1000, max: Date.UTC(2060, 0, 1) / 1000 });
/** Somebody may type a wrong year, and must read the same year again. */
const anyYear = fc.integer({ min: Date.parse('0002-01-01') / 1000, max: Date.UTC(9998, 0, 1) / 1000 });

describe('wall-clock times', () => {
  it('a local time converted to an instant and back is unchanged, in every time zone', () => {
    fc.assert(
      fc.property(fc.oneof(anySecond, anyYear), anyZone, (second, zone) => {
        const wallClock = toWallClock(new Date(second * 1000), zone);
        const instant = toInstant(wallClock, zone);
        expect(instant && toWallClock(instant, zone)).toBe(wallClock);
        expect(wallClock).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('toInstant returns the first occurrence of a local time that occurs twice', () => {
    fc.assert(
      fc.property(anySecond, anyZone, (second, zone) => {
        const instant = new Date(second * 1000);
        const first = toInstant(toWallClock(instant, zone), zone);
        expect(first && first.getTime() <= instant.getTime()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(toInstant('2026-10-25 01:30:00', 'Europe/Lisbon')).toEqual(new Date('2026-10-25T00:30:00Z'));
  });

  it.each([
    ['2026-03-29 01:30:00', 'Europe/Lisbon', 'an hour that daylight saving time skips'],
    ['2026-02-30 12:00:00', 'UTC', 'a day that does not exist'],
    ['2026-13-01 12:00:00', 'UTC', 'a month that does not exist'],
    ['2026-01-01 24:00:00', 'UTC', 'an hour that does not exist'],
    ['yesterday', 'UTC', 'not a date'],
  ])('toInstant(%s, %s) returns null: %s', (text, zone) => {
    expect(toInstant(text, zone)).toBeNull();
  });

  it('isTimeZone accepts IANA names, and refuses offsets and abbreviations', () => {
    expect(zones.filter(isTimeZone)).toEqual(zones);
    expect(['', 'Mars/Olympus', '+03:00', 'america', 'AET', 'VST', 'PST'].filter(isTimeZone)).toEqual([]);
  });
});

describe('shiftPeriod', () => {
  const anyDays = fc.integer({ min: -1000, max: 1000 });

  it('keeps the local times, or the length of a period whose local times do not exist on the new day, and never ends before it starts', () => {
    fc.assert(
      fc.property(anySecond, fc.integer({ min: 1, max: 5_000_000 }), anyDays, anyZone, (second, length, days, zone) => {
        const period = { starts_at: new Date(second * 1000), finishes_at: new Date((second + length) * 1000) };
        const moved = shiftPeriod(period, days, zone);
        expect(moved.finishes_at.getTime()).toBeGreaterThan(moved.starts_at.getTime());
        const wanted = toWallClock(period.starts_at, zone).slice(11);
        const sameDay = toWallClock(moved.starts_at, zone).slice(0, 10);
        const exists = toInstant(`${sameDay} ${wanted}`, zone) !== null;
        expect(exists && toWallClock(moved.starts_at, zone).slice(11) !== wanted).toBe(false);
      }),
    );
  });
});
