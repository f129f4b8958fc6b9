/** The currencies that most producers use come first. */
const common = ['BRL', 'USD', 'EUR', 'GBP', 'ARS', 'CLP', 'COP', 'MXN', 'UYU'];

export function currencyOptions(locale: string): { value: string; label: string }[] {
  const names = new Intl.DisplayNames(locale, { type: 'currency' });
  const others = Intl.supportedValuesOf('currency').filter((code) => !common.includes(code));
  return [...common, ...others].map((value) => ({ value, label: `${value} · ${names.of(value) ?? value}` }));
}
