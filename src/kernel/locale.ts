/** The languages of mails and tickets. */
export const locales = ['pt-BR', 'en', 'es'] as const;
export type Locale = (typeof locales)[number];

const spanishCurrencies = new Set(['ARS', 'BOB', 'CLP', 'COP', 'CRC', 'DOP', 'GTQ', 'HNL', 'MXN', 'NIO', 'PEN', 'PYG', 'UYU', 'VES']);

/** The default language when the reader's language is unknown. It is derived from the currency, with English as fallback. */
export function localeOfCurrency(currency: string): Locale {
  if (currency === 'BRL') return 'pt-BR';
  return spanishCurrencies.has(currency) ? 'es' : 'en';
}

/** The supported language with the highest weight in an `Accept-Language` header, or null. */
export function localeOfHeader(header: string | undefined): Locale | null {
  const accepted = (header ?? '')
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
  for (const { language } of accepted) {
    const supported = locales.find((locale) => locale.split('-')[0] === language);
    if (supported) return supported;
  }
  return null;
}
