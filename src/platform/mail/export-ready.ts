import type { Locale } from '../../kernel/locale.ts';
import { footers, formatCount, formatDateTime } from './format.ts';
import type { Letter } from './letter.ts';
import type { MailPayloads } from './outbox.ts';
import type { Renderer } from './send-mail.ts';

interface Texts {
  subject(type: string): string;
  intro(event: string): string;
  type: string;
  format: string;
  rows: string;
  expires: string;
  download: string;
  warning: string;
  types: Record<string, string>;
}

const textsByLocale: Record<Locale, Texts> = {
  'pt-BR': {
    subject: (type) => `Sua exportação está pronta: ${type}`,
    intro: (event) => `A exportação que você pediu do evento ${event} está pronta.`,
    type: 'Conteúdo',
    format: 'Formato',
    rows: 'Linhas',
    expires: 'Disponível até',
    download: 'Baixar o arquivo',
    warning: 'Quem tiver este link poderá baixar o arquivo. Não o repasse.',
    types: { orders: 'pedidos', tickets: 'ingressos', guests: 'convidados', checkins: 'entradas', passkeys: 'senhas', codes: 'códigos' },
  },
  en: {
    subject: (type) => `Your export is ready: ${type}`,
    intro: (event) => `The export you requested for ${event} is ready.`,
    type: 'Content',
    format: 'Format',
    rows: 'Rows',
    expires: 'Available until',
    download: 'Download the file',
    warning: 'Anyone with this link can download the file. Do not share it.',
    types: {},
  },
  es: {
    subject: (type) => `Su exportación está lista: ${type}`,
    intro: (event) => `La exportación de ${event} que solicitó está lista.`,
    type: 'Contenido',
    format: 'Formato',
    rows: 'Filas',
    expires: 'Disponible hasta',
    download: 'Descargar el archivo',
    warning: 'Quien tenga este enlace podrá descargar el archivo. No lo comparta.',
    types: { orders: 'pedidos', tickets: 'entradas', guests: 'invitados', checkins: 'accesos', passkeys: 'claves', codes: 'códigos' },
  },
};

export function exportReadyLetter(locale: Locale, payload: MailPayloads['export_ready']): Letter {
  const texts = textsByLocale[locale];
  const type = texts.types[payload.type] ?? payload.type;
  return {
    locale,
    subject: texts.subject(type),
    blocks: [
      { heading: texts.subject(type) },
      { paragraph: texts.intro(payload.eventTitle) },
      {
        facts: [
          [texts.type, type],
          [texts.format, payload.format.toUpperCase()],
          [texts.rows, formatCount(locale, payload.rows)],
          [texts.expires, formatDateTime(locale, new Date(payload.expiresAt), payload.timeZone)],
        ],
      },
      { button: { label: texts.download, href: payload.link } },
      { paragraph: texts.warning },
    ],
    footer: footers[locale],
  };
}

/** The payload has everything the mail shows, so nothing is read from the database. */
export const renderExportReady: Renderer<'export_ready'> = async (_tx, { payload, locale, recipient }) =>
  recipient === null ? null : { to: { name: '', address: recipient }, letter: exportReadyLetter(locale, payload) };
