import { area } from '../../app/area.ts';

/** Access codes of hidden tickets, and codes that were imported from another system. */
export const codesArea = area({
  routes: [
    { path: '/events/:eventId/access-codes', screen: 'AccessCodeList', needs: 'passkey.read' },
    { path: '/events/:eventId/codes', screen: 'ImportedCodes', needs: 'code.read' },
  ],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/codes.en.ts'),
    es: () => import('../../../messages/console/codes.es.ts'),
    'pt-BR': () => import('../../../messages/console/codes.pt-BR.ts'),
  },
});
