import type { Locale } from '../kernel/locale.ts';
import { formatMoney } from '../platform/mail/format.ts';
import type { Letter } from '../platform/mail/letter.ts';
import type { MailPayloads } from '../platform/mail/outbox.ts';
import type { DisputedEvent } from './disputes.sql.ts';

type Status = MailPayloads['payment_disputed']['status'];

interface Words {
  subject: Record<Status, (order: number, event: string) => string>;
  what: Record<Status, string>;
  answer(provider: string): string;
  twice(amount: string): string;
  admitted: string;
  refused: string;
  event: string;
  order: string;
  amount: string;
  fee: string;
  reason: string;
  footer(producer: string): string;
}

const words: Record<Locale, Words> = {
  'pt-BR': {
    subject: {
      open: (order, event) => `Pagamento contestado: pedido ${order}, ${event}`,
      won: (order, event) => `Contestação ganha: pedido ${order}, ${event}`,
      lost: (order, event) => `Contestação perdida: pedido ${order}, ${event}`,
    },
    what: {
      open: 'O comprador contestou o pagamento no banco (chargeback). O banco retirou o valor até decidir.',
      won: 'O banco decidiu a seu favor. O valor voltou, e os ingressos do pedido valem normalmente.',
      lost: 'O banco decidiu a favor do comprador. O valor não volta.',
    },
    answer: (provider) => `Responda à contestação no painel de ${provider}, dentro do prazo mostrado ali.`,
    twice: (amount) =>
      `Atenção: ${amount} deste valor também foram reembolsados ao comprador. Envie o comprovante do reembolso, para não pagar duas vezes.`,
    admitted: 'Os ingressos do pedido continuam valendo na entrada. Mude isso em disputedTickets do evento.',
    refused: 'Os ingressos do pedido são recusados na entrada, como definido em disputedTickets do evento.',
    event: 'Evento',
    order: 'Pedido',
    amount: 'Valor contestado',
    fee: 'Tarifa da contestação',
    reason: 'Motivo',
    footer: (producer) => `Mensagem automática para os proprietários de ${producer}.`,
  },
  en: {
    subject: {
      open: (order, event) => `Payment disputed: order ${order}, ${event}`,
      won: (order, event) => `Dispute won: order ${order}, ${event}`,
      lost: (order, event) => `Dispute lost: order ${order}, ${event}`,
    },
    what: {
      open: 'The buyer disputed the payment at the bank (chargeback). The bank has taken the money until it decides.',
      won: 'The bank decided in your favor. The money came back, and the tickets of the order are valid.',
      lost: 'The bank decided in favor of the buyer. The money does not come back.',
    },
    answer: (provider) => `Answer the dispute in the dashboard of ${provider}, before the date that it shows.`,
    twice: (amount) =>
      `Attention: ${amount} of this money was also refunded to the buyer. Send the proof of the refund, so that you do not pay twice.`,
    admitted: 'The tickets of the order still admit. You can change this with disputedTickets of the event.',
    refused: 'The tickets of the order are refused at the door, as set in disputedTickets of the event.',
    event: 'Event',
    order: 'Order',
    amount: 'Disputed amount',
    fee: 'Fee of the dispute',
    reason: 'Reason',
    footer: (producer) => `This message was sent automatically to the owners of ${producer}.`,
  },
  es: {
    subject: {
      open: (order, event) => `Pago disputado: pedido ${order}, ${event}`,
      won: (order, event) => `Disputa ganada: pedido ${order}, ${event}`,
      lost: (order, event) => `Disputa perdida: pedido ${order}, ${event}`,
    },
    what: {
      open: 'El comprador disputó el pago en su banco (contracargo). El banco ha retirado el importe hasta que decida.',
      won: 'El banco decidió a su favor. El importe ha vuelto y las entradas del pedido son válidas.',
      lost: 'El banco decidió a favor del comprador. El importe no vuelve.',
    },
    answer: (provider) => `Responda a la disputa en el panel de ${provider}, antes de la fecha indicada allí.`,
    twice: (amount) =>
      `Atención: ${amount} de este importe también se reembolsaron al comprador. Envíe el comprobante del reembolso para no pagar dos veces.`,
    admitted: 'Las entradas del pedido siguen permitiendo el acceso. Puede cambiarlo en disputedTickets del evento.',
    refused: 'Las entradas del pedido se rechazan en el acceso, según disputedTickets del evento.',
    event: 'Evento',
    order: 'Pedido',
    amount: 'Importe disputado',
    fee: 'Comisión de la disputa',
    reason: 'Motivo',
    footer: (producer) => `Mensaje automático para los propietarios de ${producer}.`,
  },
};

export function disputeLetter(locale: Locale, event: DisputedEvent, payload: MailPayloads['payment_disputed']): Letter {
  const say = words[locale];
  const { orderId, provider, status, amount, fee, reason, returnedTwice } = payload;
  const money = (cents: number) => formatMoney(locale, cents, event.currency);
  const subject = say.subject[status](orderId, event.title);
  const paragraphs = [
    say.what[status],
    ...(status === 'open' ? [say.answer(provider)] : []),
    ...(returnedTwice > 0 ? [say.twice(money(returnedTwice))] : []),
    ...(status === 'won' ? [] : [event.disputedTickets === 'refuse' ? say.refused : say.admitted]),
  ];
  return {
    locale,
    subject,
    blocks: [
      { heading: subject },
      ...paragraphs.map((paragraph) => ({ paragraph })),
      {
        facts: [
          [say.event, event.title],
          [say.order, String(orderId)],
          [say.amount, money(amount)],
          ...(fee > 0 ? [[say.fee, money(fee)] as const] : []),
          [say.reason, reason],
        ],
      },
    ],
    footer: say.footer(event.producer),
  };
}
