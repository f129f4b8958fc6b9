import type { Locale } from '../kernel/locale.ts';
import { formatCount, formatDateTime } from '../platform/mail/format.ts';
import type { Letter } from '../platform/mail/letter.ts';

interface EntryOnMail {
  event: string;
  item: string;
  quantity: number;
  link: string;
}

interface OfferOnMail extends EntryOnMail {
  /** The page of the entry, to give up the offer. */
  leave: string;
  expiresAt: Date;
  timeZone: string;
}

interface Texts {
  confirmSubject(event: string): string;
  confirm: string;
  confirmButton: string;
  validDay: string;
  ignore: string;
  inLineSubject(event: string): string;
  inLine: string;
  inLineButton: string;
  offerSubject(event: string): string;
  offer: string;
  offerButton: string;
  offerEnds: string;
  leave: string;
  leaveButton: string;
  item: string;
  quantity: string;
  until: string;
  footer: string;
}

const textsByLocale: Record<Locale, Texts> = {
  'pt-BR': {
    confirmSubject: (event) => `Confirme seu lugar na lista de espera: ${event}`,
    confirm: 'Alguém pediu para entrar na lista de espera com este e-mail. Confirme para garantir o seu lugar na fila.',
    confirmButton: 'Confirmar meu lugar',
    validDay: 'O link vale por 24 horas. Na mesma página você vê a sua posição e pode sair da lista.',
    ignore: 'Se não foi você, ignore esta mensagem: sem a confirmação, o endereço é apagado.',
    inLineSubject: (event) => `Você está na lista de espera: ${event}`,
    inLine: 'Este e-mail já está na lista de espera. Veja a sua posição, ou saia da lista.',
    inLineButton: 'Ver a minha posição',
    offerSubject: (event) => `Chegou a sua vez: ${event}`,
    offer: 'Há ingressos para você. Eles estão reservados no seu nome: ninguém mais pode comprá-los até o prazo abaixo.',
    offerButton: 'Comprar os ingressos',
    offerEnds: 'Depois do prazo, os ingressos vão para a próxima pessoa da fila.',
    leave: 'Não quer mais os ingressos? Libere-os para a próxima pessoa.',
    leaveButton: 'Liberar os ingressos',
    item: 'Ingresso',
    quantity: 'Quantidade',
    until: 'Reservados até',
    footer: 'Mensagem automática, enviada porque este endereço foi informado na lista de espera.',
  },
  en: {
    confirmSubject: (event) => `Confirm your place on the waiting list: ${event}`,
    confirm: 'Somebody asked to join the waiting list with this address. Confirm to get your place in the line.',
    confirmButton: 'Confirm my place',
    validDay: 'The link is valid for 24 hours. The same page shows your position, and lets you leave the list.',
    ignore: 'If it was not you, ignore this message. Without the confirmation, the address is deleted.',
    inLineSubject: (event) => `You are on the waiting list: ${event}`,
    inLine: 'This address is on the waiting list already. See your position, or leave the list.',
    inLineButton: 'See my position',
    offerSubject: (event) => `It is your turn: ${event}`,
    offer: 'There are tickets for you. They are held for you alone: nobody else can buy them until the time below.',
    offerButton: 'Buy the tickets',
    offerEnds: 'After that, the tickets go to the next person in line.',
    leave: 'Do you no longer want the tickets? Release them for the next person.',
    leaveButton: 'Release the tickets',
    item: 'Ticket',
    quantity: 'Quantity',
    until: 'Held until',
    footer: 'This message was sent automatically, as this address was given for the waiting list.',
  },
  es: {
    confirmSubject: (event) => `Confirme su lugar en la lista de espera: ${event}`,
    confirm: 'Alguien pidió entrar en la lista de espera con este correo. Confirme para tener su lugar en la fila.',
    confirmButton: 'Confirmar mi lugar',
    validDay: 'El enlace es válido por 24 horas. En la misma página ve su posición y puede salir de la lista.',
    ignore: 'Si no fue usted, ignore este mensaje: sin la confirmación, la dirección se borra.',
    inLineSubject: (event) => `Está en la lista de espera: ${event}`,
    inLine: 'Este correo ya está en la lista de espera. Vea su posición, o salga de la lista.',
    inLineButton: 'Ver mi posición',
    offerSubject: (event) => `Llegó su turno: ${event}`,
    offer: 'Hay entradas para usted. Están reservadas solo para usted: nadie más puede comprarlas hasta la hora indicada.',
    offerButton: 'Comprar las entradas',
    offerEnds: 'Después, las entradas pasan a la siguiente persona de la fila.',
    leave: '¿Ya no quiere las entradas? Libérelas para la siguiente persona.',
    leaveButton: 'Liberar las entradas',
    item: 'Entrada',
    quantity: 'Cantidad',
    until: 'Reservadas hasta',
    footer: 'Mensaje automático, enviado porque esta dirección se indicó en la lista de espera.',
  },
};

const factsOf = (locale: Locale, texts: Texts, { item, quantity }: EntryOnMail): [string, string][] => [
  [texts.item, item],
  [texts.quantity, formatCount(locale, quantity)],
];

export function confirmationLetter(locale: Locale, entry: EntryOnMail): Letter {
  const texts = textsByLocale[locale];
  const subject = texts.confirmSubject(entry.event);
  return {
    locale,
    subject,
    blocks: [
      { heading: subject },
      { paragraph: texts.confirm },
      { facts: factsOf(locale, texts, entry) },
      { button: { label: texts.confirmButton, href: entry.link } },
      { paragraph: texts.validDay },
      { paragraph: texts.ignore },
    ],
    footer: texts.footer,
  };
}

export function inLineLetter(locale: Locale, entry: EntryOnMail): Letter {
  const texts = textsByLocale[locale];
  const subject = texts.inLineSubject(entry.event);
  return {
    locale,
    subject,
    blocks: [
      { heading: subject },
      { paragraph: texts.inLine },
      { facts: factsOf(locale, texts, entry) },
      { button: { label: texts.inLineButton, href: entry.link } },
    ],
    footer: texts.footer,
  };
}

export function offerLetter(locale: Locale, offer: OfferOnMail): Letter {
  const texts = textsByLocale[locale];
  const subject = texts.offerSubject(offer.event);
  return {
    locale,
    subject,
    blocks: [
      { heading: subject },
      { paragraph: texts.offer },
      { facts: [...factsOf(locale, texts, offer), [texts.until, formatDateTime(locale, offer.expiresAt, offer.timeZone)]] },
      { button: { label: texts.offerButton, href: offer.link } },
      { paragraph: texts.offerEnds },
      { paragraph: texts.leave },
      { button: { label: texts.leaveButton, href: offer.leave } },
    ],
    footer: texts.footer,
  };
}
