import type { GuestsMessages } from './guests.en.ts';

export const messages: GuestsMessages = {
  title: 'Convidados',
  search: 'Nome, número do ingresso ou do pedido',
  numbers: { tickets: 'Esperados', checked: 'Entraram', inside: 'Dentro agora', unchecked: 'Ainda não chegaram' },
  columns: {
    name: 'Convidado',
    item: 'Ingresso',
    status: 'Entrada',
    number: 'Número',
    order: 'Pedido',
    channel: 'Vendido',
    session: 'Sessão',
  },
  any: { status: 'Chegaram ou não', item: 'Todos os ingressos', session: 'Todas as sessões', channel: 'Vendidos em qualquer lugar' },
  status: { checked: 'Entrou', unchecked: 'Ainda não chegou' },
  at: '{time} · {gate}',
  channel: { online: 'On-line', offline: 'Bilheteria ou fora' },
  noName: 'Sem nome informado',
  none: { title: 'Ainda não há convidados', text: 'Todos com um ingresso válido aparecem aqui.' },
  nothing: { title: 'Nenhum convidado encontrado', text: 'Confira a grafia ou use menos filtros.', clear: 'Mostrar todos os convidados' },
};
