import type { Locale } from '../kernel/locale.ts';
import { footers, formatCount, formatDateTime, formatMoney, safeGreetingName } from '../platform/mail/format.ts';
import type { Letter, TicketBlock } from '../platform/mail/letter.ts';

export interface SessionOnMail {
  name: string;
  startsAt: Date;
}

interface LineOnMail {
  name: string;
  quantity: number;
  /** Price of one ticket, in cents. */
  finalPrice: number;
}

/** The content of a mail about an order. */
export interface OrderOnMail {
  id: number;
  buyerName: string | null;
  eventTitle: string;
  timeZone: string;
  venue: string | null;
  sessions: readonly SessionOnMail[];
  lines: readonly LineOnMail[];
  total: number;
  currency: string;
  /** URL of the order page. */
  link: string;
}

interface Words {
  hello(name: string | null): string;
  tickets(event: string): string;
  confirmed(id: number): string;
  show: string;
  /** `count` is `n` as a number. */
  more(n: string, count: number): string;
  refund(event: string): string;
  refunded(id: number): string;
  returning: string;
  notReturned: string;
  cancelled: string;
  noLongerValid: string;
  session: string;
  venue: string;
  order: string;
  total: string;
  amount: string;
  free: string;
  open: string;
  openTickets: string;
  files: string;
}

const words: Record<Locale, Words> = {
  'pt-BR': {
    hello: (name) => (name ? `Olá, ${name}!` : 'Olá!'),
    tickets: (event) => `Seus ingressos: ${event}`,
    confirmed: (id) => `Seu pedido ${id} está confirmado. Apresente o código de cada ingresso na entrada, no celular ou impresso.`,
    show: 'Cada código vale uma entrada: não o publique nem o repasse.',
    more: (n, count) => (count === 1 ? 'Mais 1 ingresso está no seu pedido.' : `Mais ${n} ingressos estão no seu pedido.`),
    refund: (event) => `Reembolso: ${event}`,
    refunded: (id) => `Reembolsamos os ingressos abaixo do seu pedido ${id}.`,
    returning: 'O valor está sendo devolvido pelo meio de pagamento que você usou. O pedido mostra se a devolução foi concluída.',
    notReturned:
      'Não foi possível devolver o valor pelo meio de pagamento que você usou. A organização do evento vai devolvê-lo de outra forma.',
    cancelled: 'O evento foi cancelado.',
    noLongerValid: 'Os ingressos reembolsados não valem mais para a entrada.',
    session: 'Sessão',
    venue: 'Local',
    order: 'Pedido',
    total: 'Total',
    amount: 'Valor',
    free: 'grátis',
    open: 'Ver o pedido',
    openTickets: 'Abrir meus ingressos',
    files: 'Na página do pedido você também pode baixar os ingressos em PDF e adicionar o evento à sua agenda.',
  },
  en: {
    hello: (name) => (name ? `Hello ${name},` : 'Hello,'),
    tickets: (event) => `Your tickets: ${event}`,
    confirmed: (id) => `Your order ${id} is confirmed. Show the code of each ticket at the entrance, on your phone or printed.`,
    show: 'Each code admits one person once. Do not publish it or pass it on.',
    more: (n, count) => (count === 1 ? '1 more ticket is in your order.' : `${n} more tickets are in your order.`),
    refund: (event) => `Refund: ${event}`,
    refunded: (id) => `We have refunded the following tickets of your order ${id}.`,
    returning: 'The money is being returned to the payment method you used. The order shows whether it was returned.',
    notReturned:
      'The money could not be returned to the payment method you used. The organizer of the event will return it in another way.',
    cancelled: 'The event was cancelled.',
    noLongerValid: 'Refunded tickets are no longer valid for entry.',
    session: 'Session',
    venue: 'Venue',
    order: 'Order',
    total: 'Total',
    amount: 'Amount',
    free: 'free',
    open: 'View the order',
    openTickets: 'Open my tickets',
    files: 'On the order page you can also download the tickets as PDF and add the event to your calendar.',
  },
  es: {
    hello: (name) => (name ? `Hola, ${name}:` : 'Hola:'),
    tickets: (event) => `Tus entradas: ${event}`,
    confirmed: (id) => `Tu pedido ${id} está confirmado. Muestra el código de cada entrada en el acceso, en el teléfono o impreso.`,
    show: 'Cada código vale un acceso: no lo publiques ni lo compartas.',
    more: (n, count) => (count === 1 ? 'Hay 1 entrada más en tu pedido.' : `Hay ${n} entradas más en tu pedido.`),
    refund: (event) => `Reembolso: ${event}`,
    refunded: (id) => `Hemos reembolsado las siguientes entradas de tu pedido ${id}.`,
    returning: 'El importe se está devolviendo por el medio de pago que usaste. El pedido muestra si la devolución ha terminado.',
    notReturned:
      'No fue posible devolver el importe por el medio de pago que usaste. El organizador del evento te lo devolverá de otra forma.',
    cancelled: 'El evento fue cancelado.',
    noLongerValid: 'Las entradas reembolsadas ya no permiten el acceso.',
    session: 'Sesión',
    venue: 'Lugar',
    order: 'Pedido',
    total: 'Total',
    amount: 'Importe',
    free: 'gratis',
    open: 'Ver el pedido',
    openTickets: 'Abrir mis entradas',
    files: 'En la página del pedido también puedes descargar las entradas en PDF y añadir el evento a tu calendario.',
  },
};

type Fact = readonly [label: string, value: string];

/**
 * The mail contains the tickets, so that the buyer can enter with the mail alone. `more` is the number of tickets that are not in the mail.
 */
export function confirmationLetter(locale: Locale, order: OrderOnMail, tickets: readonly TicketBlock[], more: number): Letter {
  const say = words[locale];
  const total: Fact = [say.total, priceOf(locale, order.total, order.currency)];
  return {
    locale,
    subject: say.tickets(order.eventTitle),
    blocks: [
      { heading: order.eventTitle },
      { paragraph: say.hello(safeGreetingName(order.buyerName)) },
      { paragraph: say.confirmed(order.id) },
      { facts: whenAndWhere(locale, order) },
      { prices: [...order.lines.map((line) => lineFact(locale, line, order.currency)), total] },
      // The button comes before the tickets, because a mail with many tickets is long.
      { button: { label: say.openTickets, href: order.link } },
      { paragraph: say.files },
      ...tickets.map((ticket) => ({ ticket })),
      ...(more > 0 ? [{ paragraph: say.more(formatCount(locale, more), more) }] : []),
      { paragraph: say.show },
    ],
    footer: footers[locale],
  };
}

export interface RefundFacts {
  eventCancelled: boolean;
  /** Whether the provider could not return the money. */
  failed: boolean;
}

/** `order.lines` has the refunded quantities, and `order.total` is the refunded amount. */
export function refundLetter(locale: Locale, order: OrderOnMail, { eventCancelled, failed }: RefundFacts): Letter {
  const say = words[locale];
  const amount: Fact = [say.amount, formatMoney(locale, order.total, order.currency)];
  return {
    locale,
    subject: say.refund(order.eventTitle),
    blocks: [
      { heading: say.refund(order.eventTitle) },
      { paragraph: say.hello(safeGreetingName(order.buyerName)) },
      ...(eventCancelled ? [{ paragraph: say.cancelled }] : []),
      { paragraph: say.refunded(order.id) },
      ...(order.total > 0 ? [{ paragraph: failed ? say.notReturned : say.returning }] : []),
      { prices: [...order.lines.map((line) => lineFact(locale, line, order.currency)), amount] },
      { paragraph: say.noLongerValid },
      { button: { label: say.open, href: order.link } },
    ],
    footer: footers[locale],
  };
}

function whenAndWhere(locale: Locale, { id, sessions, timeZone, venue }: OrderOnMail): Fact[] {
  const say = words[locale];
  return [
    [say.order, String(id)],
    ...sessions.map(({ name, startsAt }): Fact => [say.session, sessionLine(locale, { name, startsAt }, timeZone)]),
    ...(venue === null ? [] : [[say.venue, venue] as const]),
  ];
}

export const sessionLine = (locale: Locale, { name, startsAt }: SessionOnMail, timeZone: string): string =>
  `${name} · ${formatDateTime(locale, startsAt, timeZone)}`;

const lineFact = (locale: Locale, { name, quantity, finalPrice }: LineOnMail, currency: string): Fact => [
  `${formatCount(locale, quantity)} × ${name}`,
  priceOf(locale, quantity * finalPrice, currency),
];

const priceOf = (locale: Locale, cents: number, currency: string): string =>
  cents === 0 ? words[locale].free : formatMoney(locale, cents, currency);
