import { describe, expect, it } from 'vitest';
import { localeOfCurrency, localeOfHeader } from './locale.ts';

describe('the language of a mail', () => {
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
  ])('asked for by Accept-Language: %s is %s', (header, locale) => {
    expect(localeOfHeader(header)).toBe(locale);
  });

  it.each([
    ['BRL', 'pt-BR'],
    ['MXN', 'es'],
    ['ARS', 'es'],
    ['USD', 'en'],
    ['EUR', 'en'],
  ])('that goes with %s is %s', (currency, locale) => {
    expect(localeOfCurrency(currency)).toBe(locale);
  });
});
