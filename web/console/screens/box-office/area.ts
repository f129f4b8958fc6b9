import { area } from '../../app/area.ts';

/** The sale for cash. */
export const boxOfficeArea = area({
  routes: [{ path: '/events/:eventId/box-office', screen: 'BoxOffice', needs: 'order.sell' }],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/box-office.en.ts'),
    es: () => import('../../../messages/console/box-office.es.ts'),
    'pt-BR': () => import('../../../messages/console/box-office.pt-BR.ts'),
  },
});
