import type { Locale } from '../../kernel/locale.ts';

interface Words {
  /** The title of the document. */
  title(event: string): string;
  number(number: number, total: number): string;
  item: string;
  holder: string;
  order: string;
  doors(time: string): string;
  more(count: number): string;
  used: string;
  show: string;
}

export const words: Record<Locale, Words> = {
  'pt-BR': {
    title: (event) => `Ingressos: ${event}`,
    number: (number, total) => `Ingresso ${number} de ${total}`,
    item: 'Ingresso',
    holder: 'Nome',
    order: 'Pedido',
    doors: (time) => `Abertura das portas: ${time}`,
    more: (count) => (count === 1 ? 'e mais 1 sessão' : `e mais ${count} sessões`),
    used: 'Usado',
    show: 'Apresente este código na entrada. Ele vale uma entrada: não o publique nem o repasse.',
  },
  en: {
    title: (event) => `Tickets: ${event}`,
    number: (number, total) => `Ticket ${number} of ${total}`,
    item: 'Ticket',
    holder: 'Name',
    order: 'Order',
    doors: (time) => `Doors open: ${time}`,
    more: (count) => (count === 1 ? 'and 1 more session' : `and ${count} more sessions`),
    used: 'Used',
    show: 'Show this code at the entrance. It admits one person once. Do not publish it or pass it on.',
  },
  es: {
    title: (event) => `Entradas: ${event}`,
    number: (number, total) => `Entrada ${number} de ${total}`,
    item: 'Entrada',
    holder: 'Nombre',
    order: 'Pedido',
    doors: (time) => `Apertura de puertas: ${time}`,
    more: (count) => (count === 1 ? 'y 1 sesión más' : `y ${count} sesiones más`),
    used: 'Usada',
    show: 'Muestra este código en el acceso. Vale un acceso: no lo publiques ni lo compartas.',
  },
};
