import { expect, it } from 'vitest';
import { bareDate, date, dayRange, money } from './format.ts';

/** Intl uses several kinds of spaces. They look alike, and their choice depends on the version of the data. */
const plain = (text: string): string => text.replaceAll(/\s/g, ' ').replaceAll(/\p{Pd}/gu, '-');

it('shows amounts in the currency of the event and the language of the reader', () => {
  expect(plain(money(8_800, 'BRL', 'pt-BR'))).toBe('R$ 88,00');
  expect(plain(money(123_456, 'EUR', 'en'))).toBe('€1,234.56');
  expect(plain(money(8_800, 'BRL', 'es'))).toBe('88,00 R$');
});

it('shows the local time of the event, whatever the time zone of the reader is', () => {
  expect(plain(date('2026-12-12 21:00:00', 'time', 'pt-BR'))).toBe('21:00');
  expect(plain(date('2026-12-12 21:00:00', 'day', 'en'))).toBe('Sat, Dec 12');
  expect(bareDate('2026-12-12 21:00:00', 'month', 'pt-BR')).toBe('dez');
});

it('shows a night that ends in the morning as one day, and a festival as a range', () => {
  const days = (start: string, finish: string, year: number) => plain(dayRange(start, finish, 'en', new Date(`${year}-06-01`)));
  expect(days('2026-12-12 21:00:00', '2026-12-13 03:00:00', 2026)).toBe('Sat, Dec 12');
  expect(days('2026-12-12 21:00:00', '2026-12-13 03:00:00', 2025)).toBe('Dec 12, 2026');
  expect(days('2027-01-15 14:00:00', '2027-01-18 02:00:00', 2027)).toBe('Jan 15 - 17');
  expect(days('2027-01-15 14:00:00', '2027-01-18 02:00:00', 2026)).toBe('Jan 15 - 17, 2027');
});
