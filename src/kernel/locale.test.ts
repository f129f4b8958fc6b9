import { describe, expect, it } from 'vitest';
import { localeOfCurrency, localeOfHeader } from './locale.ts';

describe('the language of mails', () => {
  it.each([
    ['pt-BR,pt;q=0.9,en;q=0.8', 'pt-BR'],
    ['pt-PT', 'pt-BR'],
    ['es-MX', 'es'],
    ['EN-us', 'en'],
    ['fr, es;q=0.3, en;q=0.7', 'en'],
    ['en;q=0, es', 'es'],
    ['en;q=nonsense, es;q=0.1', 'es'],
    ['fr-FR, de', null],
    ['*', null],
    ['', null],
    [undefined, null],
    [`${'x,'.repeat(10_000)}en`, null],
  ])('localeOfHeader returns the supported language with the highest weight: Accept-Language %s gives %s', (header, locale) => {
    expect(localeOfHeader(header)).toBe(locale);
  });

  it.each([
    ['BRL', 'pt-BR'],
    ['MXN', 'es'],
    ['ARS', 'es'],
    ['USD', 'en'],
    ['EUR', 'en'],
  ])('localeOfCurrency(%s) returns %s', (currency, locale) => {
    expect(localeOfCurrency(currency)).toBe(locale);
  });
});
