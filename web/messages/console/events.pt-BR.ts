import type { EventsMessages } from './events.en.ts';

export const messages: EventsMessages = {
  title: 'Eventos',
  search: 'Buscar eventos',
  status: 'Situação',
  anyStatus: 'Todas as situações',
  create: 'Criar evento',
  event: 'Evento',
  date: 'Data',
  producer: 'Produtor',
  venue: 'Local',
  noDate: 'ainda sem data',
  ended: 'Encerrado',
  none: { title: 'Nenhum evento ainda', text: 'Crie seu primeiro evento. Ele fica como rascunho até você publicar.' },
  noneForCrew: { title: 'Nenhum evento ainda', text: 'Os eventos aparecem aqui quando um produtor adiciona você à equipe.' },
  nothing: { title: 'Nenhum evento corresponde', text: 'Tente outra palavra ou outra situação.', clear: 'Mostrar todos os eventos' },
};
