import { area } from '../../app/area.ts';

/** The crew of an event. */
export const teamArea = area({
  routes: [{ path: '/events/:eventId/team', screen: 'Team', needs: 'crew.read' }],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/team.en.ts'),
    es: () => import('../../../messages/console/team.es.ts'),
    'pt-BR': () => import('../../../messages/console/team.pt-BR.ts'),
  },
});
