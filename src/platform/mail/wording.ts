import type { Locale } from '../../kernel/locale.ts';

export const money = (locale: Locale, cents: number, currency: string): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency }).format(cents / 100);

export const count = (locale: Locale, n: number): string => new Intl.NumberFormat(locale).format(n);

/** As it stands on the wall at the event. */
export const moment = (locale: Locale, at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(at);

/** Anyone may order in any name: one that looks like an address or a message of somebody's own is not repeated to the recipient. */
export const greetable = (name: string | null): string | null =>
  name !== null && name.length <= 60 && !/[/\\@:<>]|\w\.\w{2}|\d{4}/.test(name) ? name.trim() : null;

export const footers: Record<Locale, string> = {
  'pt-BR': 'Mensagem automática, enviada porque este endereço foi informado na compra ou no pedido.',
  en: 'This message was sent automatically, as this address was given with the order or request.',
  es: 'Mensaje automático, enviado porque esta dirección se indicó en la compra o solicitud.',
};
