import { area } from '../../app/area.ts';

/** The first event, step by step. The first step creates a draft. The others continue it, also on another day or computer. */
export const createArea = area({
  routes: [
    { path: '/events/new', screen: 'NewEvent', needs: 'event.manage' },
    { path: '/events/:eventId/setup', screen: 'Setup', needs: 'event.manage' },
    { path: '/events/:eventId/setup/:step', screen: 'Setup', needs: 'event.manage' },
  ],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/create.en.ts'),
    es: () => import('../../../messages/console/create.es.ts'),
    'pt-BR': () => import('../../../messages/console/create.pt-BR.ts'),
  },
});
