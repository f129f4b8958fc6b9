import { area } from '../../app/area.ts';

/** The people who wait for sold-out tickets. */
export const waitingListArea = area({
  routes: [{ path: '/events/:eventId/waiting-list', screen: 'WaitingList', needs: 'order.read' }],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/waiting-list.en.ts'),
    es: () => import('../../../messages/console/waiting-list.es.ts'),
    'pt-BR': () => import('../../../messages/console/waiting-list.pt-BR.ts'),
  },
});
