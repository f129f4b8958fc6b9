import type { Locale } from '../kernel/locale.ts';
import { footers } from '../platform/mail/format.ts';
import type { Renderer } from '../platform/mail/send-mail.ts';
import { selectEventFacts } from './order-mails.sql.ts';

interface Texts {
  subject(id: number): string;
  changed(event: string): string;
  warning: string;
}

const textsByLocale: Record<Locale, Texts> = {
  'pt-BR': {
    subject: (id) => `O e-mail do pedido ${id} mudou`,
    changed: (event) =>
      `A organização do evento ${event} mudou o e-mail deste pedido. Os ingressos foram enviados para o novo endereço, e os links das mensagens anteriores não funcionam mais.`,
    warning: 'Se você não pediu esta mudança, fale com a organização do evento.',
  },
  en: {
    subject: (id) => `The e-mail address of order ${id} has changed`,
    changed: (event) =>
      `The organizer of ${event} changed the e-mail address of this order. The tickets were sent to the new address, and the links in earlier messages no longer work.`,
    warning: 'If you did not ask for this change, contact the organizer of the event.',
  },
  es: {
    subject: (id) => `Cambió el correo del pedido ${id}`,
    changed: (event) =>
      `La organización de ${event} cambió el correo de este pedido. Las entradas se enviaron a la nueva dirección, y los enlaces de los mensajes anteriores ya no funcionan.`,
    warning: 'Si no pidió este cambio, contacte a la organización del evento.',
  },
};

/** The mail goes to the earlier address, so it contains neither the new address nor a link to the order. */
export const renderBuyerEmailChanged: Renderer<'buyer_email_changed'> = async (tx, { payload, locale, recipient }) => {
  if (recipient === null) return null;
  const texts = textsByLocale[locale];
  const { title } = await selectEventFacts(tx, payload.eventId);
  const subject = texts.subject(payload.orderId);
  const blocks = [{ heading: subject }, { paragraph: texts.changed(title) }, { paragraph: texts.warning }];
  return { to: { name: '', address: recipient }, letter: { locale, subject, blocks, footer: footers[locale] } };
};
