import { area } from '../../app/area.ts';

/** What users see and change about their own account. */
export const accountArea = area({
  routes: [
    { path: '/account', screen: 'Account' },
    { path: '/account/security', screen: 'Security' },
    { path: '/account/tokens', screen: 'ApiTokens' },
  ],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/account.en.ts'),
    es: () => import('../../../messages/console/account.es.ts'),
    'pt-BR': () => import('../../../messages/console/account.pt-BR.ts'),
  },
});
