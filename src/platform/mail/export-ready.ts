import type { Locale } from '../../kernel/locale.ts';
import type { Letter } from './letter.ts';
import type { MailPayloads } from './outbox.ts';
import type { Renderer } from './send-mail.ts';
import { count, footers, moment } from './wording.ts';

interface Words {
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

const words: Record<Locale, Words> = {
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
    intro: (event) => `The export of ${event} that you asked for is ready.`,
    type: 'Content',
    format: 'Format',
    rows: 'Rows',
    expires: 'Available until',
    download: 'Download the file',
    warning: 'Whoever has this link can download the file. Do not pass it on.',
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
  const say = words[locale];
  const type = say.types[payload.type] ?? payload.type;
  return {
    locale,
    subject: say.subject(type),
    blocks: [
      { heading: say.subject(type) },
      { paragraph: say.intro(payload.eventTitle) },
      {
        facts: [
          [say.type, type],
          [say.format, payload.format.toUpperCase()],
          [say.rows, count(locale, payload.rows)],
          [say.expires, moment(locale, new Date(payload.expiresAt), payload.timeZone)],
        ],
      },
      { button: { label: say.download, href: payload.link } },
      { paragraph: say.warning },
    ],
    footer: footers[locale],
  };
}

/** All that it says stands in its row. */
export const renderExportReady: Renderer<'export_ready'> = async (_tx, { payload, locale, recipient }) =>
  recipient === null ? null : { to: { name: '', address: recipient }, letter: exportReadyLetter(locale, payload) };
