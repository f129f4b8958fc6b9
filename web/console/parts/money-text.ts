/** An amount in cents as it is typed: `88,00` in Portuguese and Spanish, `88.00` in English. */
export const moneyText = (cents: number, locale: string): string =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: false }).format(cents / 100);

/**
 * Reads an amount as people type it: `88`, `88,5`, `88.00`, `1.234,56` and `1,234.56`. The last point or comma is the decimal separator if one or
 * two digits follow it. Returns null if the text is no amount.
 */
export function readMoney(text: string): number | null {
  const plain = text.replaceAll(/[^\d.,]/g, '');
  if (plain === '' || /[^\d.,\sR$€£¥A-Z]/i.test(text)) return null;
  const [, whole = '', decimals = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(plain) ?? [];
  const digits = whole.replaceAll(/[.,]/g, '');
  if (!/^\d{0,12}$/.test(digits) || (digits === '' && decimals === '')) return null;
  return Number(digits) * 100 + Number(decimals.padEnd(2, '0'));
}
