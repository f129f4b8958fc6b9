import { area } from '../../app/area.ts';

/** The groups and lots of an event. `?item=42` opens the settings of an item. */
export const ticketsArea = area({
  routes: [{ path: '/events/:eventId/tickets', screen: 'TicketList', needs: 'item.read' }],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/tickets.en.ts'),
    es: () => import('../../../messages/console/tickets.es.ts'),
    'pt-BR': () => import('../../../messages/console/tickets.pt-BR.ts'),
  },
});
