import type { EventsMessages } from './events.en.ts';

export const messages: EventsMessages = {
  title: 'Eventos',
  search: 'Buscar eventos',
  status: 'Estado',
  anyStatus: 'Todos los estados',
  create: 'Crear evento',
  event: 'Evento',
  date: 'Fecha',
  producer: 'Productor',
  venue: 'Lugar',
  noDate: 'aún sin fecha',
  ended: 'Finalizado',
  none: { title: 'Aún no hay eventos', text: 'Crea tu primer evento. Queda como borrador hasta que lo publiques.' },
  noneForCrew: { title: 'Aún no hay eventos', text: 'Los eventos aparecen aquí cuando un productor te añade al equipo.' },
  nothing: { title: 'Ningún evento coincide', text: 'Prueba con otra palabra u otro estado.', clear: 'Mostrar todos los eventos' },
};
