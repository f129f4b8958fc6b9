import type { Order } from '../orders/contract.ts';

/** Describes the state of an order as a text. An open page compares it with the state of the order, and loads again if it has changed. */
export const orderStateOf = ({ status, buyer, payments }: Pick<Order, 'status' | 'buyer' | 'payments'>): string =>
  [
    status,
    buyer === null ? 'unnamed' : 'named',
    ...payments.map(({ method, status, action }) => `${method} ${status} ${action?.type}`),
  ].join();
