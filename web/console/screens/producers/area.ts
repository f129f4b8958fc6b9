import { area } from '../../app/area.ts';

/** The producers of the user, and all producers for admins. */
export const producersArea = area({
  routes: [
    { path: '/producers', screen: 'ProducerList', needs: 'producer.read' },
    { path: '/producers/new', screen: 'NewProducer', needs: 'admin' },
    { path: '/producers/:producerId', screen: 'ProducerDetail', needs: 'producer.read' },
  ],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/producers.en.ts'),
    es: () => import('../../../messages/console/producers.es.ts'),
    'pt-BR': () => import('../../../messages/console/producers.pt-BR.ts'),
  },
});
