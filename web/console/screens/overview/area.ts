import { area } from '../../app/area.ts';

/** The first screen of an event: how it sells, and what it needs before it is published. */
export const overviewArea = area({
  routes: [{ path: '/events/:eventId', screen: 'Overview', needs: 'event.read' }],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/overview.en.ts'),
    es: () => import('../../../messages/console/overview.es.ts'),
    'pt-BR': () => import('../../../messages/console/overview.pt-BR.ts'),
  },
});
