import { type Capability, capability } from '../http/capability.ts';
import { ordersContract } from './contract.ts';
import { placeOrders } from './place-orders.ts';

export const orders: Capability = capability(ordersContract, {
  createOrder: {
    lane: ({ body }) => body.eventId,
    run: (tx, requests) =>
      placeOrders(
        tx,
        requests.map(({ act, input }) => ({ act, order: input.body })),
      ),
  },
});
