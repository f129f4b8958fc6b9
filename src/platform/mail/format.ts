import type { Locale } from '../../kernel/locale.ts';

export const formatMoney = (locale: Locale, cents: number, currency: string): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }).format(cents / 100);

export const formatCount = (locale: Locale, n: number): string => new Intl.NumberFormat(locale).format(n);

/** Local time of the event. */
export const formatDateTime = (locale: Locale, at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(at);

/** Anyone can order under any name. So a name that could contain a link, an address or a phone number is not shown to the recipient. */
export const safeGreetingName = (name: string | null): string | null =>
  name !== null && name.length <= 60 && !/[/\\@:<>]|\w\.\w{2}|\d{4}/.test(name) ? name.trim() : null;

export const footers: Record<Locale, string> = {
  'pt-BR': 'Mensagem automática, enviada porque este endereço foi informado na compra ou no pedido.',
  en: 'This message was sent automatically, as this address was given with the order or request.',
  es: 'Mensaje automático, enviado porque esta dirección se indicó en la compra o solicitud.',
};
