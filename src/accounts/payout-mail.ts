import type { Locale } from '../kernel/locale.ts';
import type { Letter } from '../platform/mail/letter.ts';
import type { MailPayloads } from '../platform/mail/outbox.ts';
import type { Renderer } from '../platform/mail/send-mail.ts';

interface Texts {
  subject(producer: string): string;
  changed(producer: string): string;
  removed(producer: string): string;
  account: string;
  before: string;
  none: string;
  warning: string;
  footer: string;
}

const textsByLocale: Record<Locale, Texts> = {
  'pt-BR': {
    subject: (producer) => `Mudou a conta que recebe as vendas de ${producer}`,
    changed: (producer) => `Um administrador da plataforma mudou a conta que recebe o dinheiro das próximas vendas de ${producer}.`,
    removed: (producer) =>
      `Um administrador da plataforma removeu a conta de ${producer}. A plataforma recebe o dinheiro das próximas vendas.`,
    account: 'Conta nova',
    before: 'Conta anterior',
    none: 'a da plataforma',
    warning: 'Se você não esperava esta mudança, fale com a plataforma agora.',
    footer: 'Mensagem automática para os proprietários do produtor.',
  },
  en: {
    subject: (producer) => `The account that receives the sales of ${producer} has changed`,
    changed: (producer) => `An admin of the platform changed the account that receives the money of future sales of ${producer}.`,
    removed: (producer) => `An admin of the platform removed the account of ${producer}. The platform receives the money of future sales.`,
    account: 'New account',
    before: 'Previous account',
    none: 'the account of the platform',
    warning: 'If you did not expect this change, contact the platform now.',
    footer: 'This message was sent automatically to the owners of the producer.',
  },
  es: {
    subject: (producer) => `Cambió la cuenta que recibe las ventas de ${producer}`,
    changed: (producer) => `Un administrador de la plataforma cambió la cuenta que recibe el dinero de las próximas ventas de ${producer}.`,
    removed: (producer) =>
      `Un administrador de la plataforma eliminó la cuenta de ${producer}. La plataforma recibe el dinero de las próximas ventas.`,
    account: 'Cuenta nueva',
    before: 'Cuenta anterior',
    none: 'la de la plataforma',
    warning: 'Si no esperaba este cambio, contacte a la plataforma ahora.',
    footer: 'Mensaje automático para los propietarios del productor.',
  },
};

export function payoutLetter(locale: Locale, { producer, before, after }: MailPayloads['payout_changed']): Letter {
  const texts = textsByLocale[locale];
  const nameOf = (payout: typeof after): string => (payout ? `${payout.account} (${payout.provider})` : texts.none);
  return {
    locale,
    subject: texts.subject(producer),
    blocks: [
      { heading: texts.subject(producer) },
      { paragraph: after ? texts.changed(producer) : texts.removed(producer) },
      {
        facts: [
          [texts.account, nameOf(after)],
          [texts.before, nameOf(before)],
        ],
      },
      { paragraph: texts.warning },
    ],
    footer: texts.footer,
  };
}

/** The payload has everything the mail shows, so nothing is read from the database. */
export const renderPayoutChanged: Renderer<'payout_changed'> = async (_tx, { payload, locale, recipient }) =>
  recipient === null ? null : { to: { name: '', address: recipient }, letter: payoutLetter(locale, payload) };
