import { area } from '../../app/area.ts';

/** The settings of an event, in one screen for each subject. */
export const settingsArea = area({
  routes: [
    { path: '/events/:eventId/settings', screen: 'Details', needs: 'event.manage' },
    { path: '/events/:eventId/settings/page', screen: 'EventPage', needs: 'event.manage' },
    { path: '/events/:eventId/settings/sessions', screen: 'Sessions', needs: 'event.manage' },
    { path: '/events/:eventId/settings/rules', screen: 'Rules', needs: 'event.manage' },
    { path: '/events/:eventId/settings/waiting-room', screen: 'WaitingRoom', needs: 'event.manage' },
    { path: '/events/:eventId/settings/attributes', screen: 'Attributes', needs: 'event.manage' },
    { path: '/events/:eventId/settings/status', screen: 'Status', needs: 'event.manage' },
  ],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/settings.en.ts'),
    es: () => import('../../../messages/console/settings.es.ts'),
    'pt-BR': () => import('../../../messages/console/settings.pt-BR.ts'),
  },
});
