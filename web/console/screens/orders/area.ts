import { area } from '../../app/area.ts';

/** The orders of an event, and the money that goes back. */
export const ordersArea = area({
  routes: [
    { path: '/events/:eventId/orders', screen: 'OrderList', needs: 'order.read' },
    { path: '/events/:eventId/orders/refunds', screen: 'RefundList', needs: 'order.refund' },
    { path: '/events/:eventId/orders/:orderId', screen: 'OrderDetail', needs: 'order.read' },
  ],
  load: () => import('./screens.ts'),
  messages: {
    en: () => import('../../../messages/console/orders.en.ts'),
    es: () => import('../../../messages/console/orders.es.ts'),
    'pt-BR': () => import('../../../messages/console/orders.pt-BR.ts'),
  },
});
