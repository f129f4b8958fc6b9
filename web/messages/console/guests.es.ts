import type { GuestsMessages } from './guests.en.ts';

export const messages: GuestsMessages = {
  title: 'Invitados',
  search: 'Nombre, número de entrada o de pedido',
  numbers: { tickets: 'Esperados', checked: 'Entraron', inside: 'Dentro ahora', unchecked: 'Aún no están' },
  columns: {
    name: 'Invitado',
    item: 'Entrada',
    status: 'Acceso',
    number: 'Número',
    order: 'Pedido',
    channel: 'Vendida',
    session: 'Sesión',
  },
  any: { status: 'Presentes o no', item: 'Todas las entradas', session: 'Todas las sesiones', channel: 'Vendidas en cualquier lugar' },
  status: { checked: 'Entró', unchecked: 'Aún no está' },
  at: '{time} · {gate}',
  channel: { online: 'En línea', offline: 'Taquilla o fuera' },
  noName: 'Sin nombre',
  none: { title: 'Todavía no hay invitados', text: 'Aquí aparecen todos los que tienen una entrada válida.' },
  nothing: { title: 'Ningún invitado coincide', text: 'Revisa la ortografía o usa menos filtros.', clear: 'Mostrar todos los invitados' },
};
