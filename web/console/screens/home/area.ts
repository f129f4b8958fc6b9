import { area } from '../../app/area.ts';

/** The editor of the home page. */
export const homeArea = area({
  routes: [{ path: '/platform/home', screen: 'HomeEditor', needs: 'admin' }],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/home.en.ts'),
    es: () => import('../../../messages/console/home.es.ts'),
    'pt-BR': () => import('../../../messages/console/home.pt-BR.ts'),
  },
});
