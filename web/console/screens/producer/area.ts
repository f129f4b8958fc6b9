import { area } from '../../app/area.ts';

/** The producers of the user: profile, members, payout, webhooks. */
export const producerArea = area({
  routes: [
    { path: '/producers', screen: 'ProducerList', needs: 'producer.read' },
    { path: '/producers/:producerId', screen: 'ProducerProfile', needs: 'producer.read' },
    { path: '/producers/:producerId/members', screen: 'Members', needs: 'members.read' },
    { path: '/producers/:producerId/payout', screen: 'Payout', needs: 'members.manage' },
    { path: '/producers/:producerId/webhooks', screen: 'Webhooks', needs: 'webhook.manage' },
    { path: '/producers/:producerId/webhooks/:webhookId', screen: 'WebhookDetail', needs: 'webhook.manage' },
  ],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/producer.en.ts'),
    es: () => import('../../../messages/console/producer.es.ts'),
    'pt-BR': () => import('../../../messages/console/producer.pt-BR.ts'),
  },
});
