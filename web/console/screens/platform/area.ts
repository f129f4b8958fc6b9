import { area } from '../../app/area.ts';

/** What admins of the platform do. */
export const platformArea = area({
  routes: [
    { path: '/platform', screen: 'Platform', needs: 'admin' },
    { path: '/platform/users', screen: 'UserList', needs: 'admin' },
    { path: '/platform/categories', screen: 'Categories', needs: 'admin' },
    { path: '/platform/tax', screen: 'TaxPolicies', needs: 'admin' },
    { path: '/platform/payments', screen: 'Payments', needs: 'admin' },
    { path: '/platform/mailbox', screen: 'Mailbox', needs: 'admin' },
    { path: '/platform/health', screen: 'Health', needs: 'admin' },
    { path: '/platform/users/:userId', screen: 'UserDetail', needs: 'admin' },
    { path: '/platform/mailbox/:mailId', screen: 'Mail', needs: 'admin' },
  ],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/platform.en.ts'),
    es: () => import('../../../messages/console/platform.es.ts'),
    'pt-BR': () => import('../../../messages/console/platform.pt-BR.ts'),
  },
});
