/** The languages that people are written to in. */
export const locales = ['pt-BR', 'en', 'es'] as const;
export type Locale = (typeof locales)[number];

const spanishCurrencies = new Set(['ARS', 'BOB', 'CLP', 'COP', 'CRC', 'DOP', 'GTQ', 'HNL', 'MXN', 'NIO', 'PEN', 'PYG', 'UYU', 'VES']);

/** Where nobody has said which language they read: the one of the country that the money is of, or English. */
export function localeOfCurrency(currency: string): Locale {
  if (currency === 'BRL') return 'pt-BR';
  return spanishCurrencies.has(currency) ? 'es' : 'en';
}

/** The first of the languages that an `Accept-Language` header asks for that we write, by their weights; null for none of them. */
export function localeOfHeader(header: string | undefined): Locale | null {
  const asked = (header ?? '')
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return { language: tag.split('-')[0], weight: Number(weight) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight);
  for (const { language } of asked) {
    const known = locales.find((locale) => locale.split('-')[0] === language);
    if (known) return known;
  }
  return null;
}
