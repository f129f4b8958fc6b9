import { area } from '../../app/area.ts';

/** Devices, counters and scans of the door. */
export const doorArea = area({
  routes: [
    { path: '/events/:eventId/door', screen: 'Door', needs: 'checkin.make' },
    { path: '/events/:eventId/door/scans', screen: 'ScanList', needs: 'checkin.read' },
  ],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/door.en.ts'),
    es: () => import('../../../messages/console/door.es.ts'),
    'pt-BR': () => import('../../../messages/console/door.pt-BR.ts'),
  },
});
