import { area } from '../../app/area.ts';

/** Signing in, and the links of the mails. */
export const signInArea = area({
  routes: [
    { path: '/sign-in', screen: 'SignIn', open: true },
    { path: '/forgot', screen: 'ForgotPassword', open: true },
    { path: '/password', screen: 'ChoosePassword', open: true },
    { path: '/invitation', screen: 'AcceptInvitation', open: true },
  ],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/sign-in.en.ts'),
    es: () => import('../../../messages/console/sign-in.es.ts'),
    'pt-BR': () => import('../../../messages/console/sign-in.pt-BR.ts'),
  },
});
