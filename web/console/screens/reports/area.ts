import { area } from '../../app/area.ts';

/** The reports of an event, and lists as files. */
export const reportsArea = area({
  routes: [
    { path: '/events/:eventId/reports', screen: 'EntryReport', needs: 'guest.read' },
    { path: '/events/:eventId/reports/bordero', screen: 'Bordero', needs: 'report.read' },
    { path: '/events/:eventId/exports', screen: 'Exports', needs: 'export.request' },
  ],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/reports.en.ts'),
    es: () => import('../../../messages/console/reports.es.ts'),
    'pt-BR': () => import('../../../messages/console/reports.pt-BR.ts'),
  },
});
