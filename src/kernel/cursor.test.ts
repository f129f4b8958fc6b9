import { expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from './cursor.ts';

it.each([
  ['a time before the calendar of PostgreSQL', [-253_402_214_400_000, 1], ['time', 'number']],
  ['a time after the year 9999', [Date.UTC(10_000, 0, 1), 1], ['time', 'number']],
  ['text with a NUL', ['a\0', 1], ['string', 'number']],
  ['text with half of a surrogate pair', ['\ud800', 1], ['string', 'number']],
  ['a fraction', [1.5], ['number']],
  ['too few parts', [1], ['number', 'number']],
] as const)('a cursor with %s is not valid, although it has the right form', (_, key, shape) => {
  expect(() => decodeCursor(encodeCursor([...key]), shape)).toThrow('The cursor is not valid');
});

it('a cursor returns the key that it was made of', () => {
  const key = [Date.UTC(2026, 10, 16), 'São Paulo 😀', 7];
  expect(decodeCursor(encodeCursor(key), ['time', 'string', 'number'])).toEqual(key);
});
