import { expect, it } from 'vitest';
import { moneyText, readMoney } from './money-text.ts';

it('reads amounts as people type them in each language', () => {
  const typed = ['88', '88,5', '88.50', '1.234,56', '1,234.56', '1.234', 'R$ 0,99', ',5', '12 000,00'];
  expect(typed.map(readMoney)).toEqual([8800, 8850, 8850, 123456, 123456, 123400, 99, 50, 1200000]);
  expect(['', 'free', '-5', '1e3x!', '1,2,3,4.5.6.7890123456789'].map(readMoney)).toEqual([null, null, null, null, null]);
});

it('reads back what it writes', () => {
  for (const locale of ['pt-BR', 'en', 'es']) {
    for (const cents of [0, 5, 99, 8800, 123456, 99999999]) expect([locale, readMoney(moneyText(cents, locale))]).toEqual([locale, cents]);
  }
});
