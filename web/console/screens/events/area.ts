import { area } from '../../app/area.ts';

/** The list of events. */
export const eventsArea = area({
  routes: [{ path: '/', screen: 'EventList' }],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/events.en.ts'),
    es: () => import('../../../messages/console/events.es.ts'),
    'pt-BR': () => import('../../../messages/console/events.pt-BR.ts'),
  },
});
