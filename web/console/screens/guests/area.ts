import { area } from '../../app/area.ts';

/** The guest list. */
export const guestsArea = area({
  routes: [{ path: '/events/:eventId/guests', screen: 'GuestList', needs: 'guest.read' }],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/guests.en.ts'),
    es: () => import('../../../messages/console/guests.es.ts'),
    'pt-BR': () => import('../../../messages/console/guests.pt-BR.ts'),
  },
});
