// Loaded into the service with --import: every order is placed in a transaction of its own, by the same rules. The control of figure S2.
import { placeOrders } from '../dist/orders/place-orders.js';
import { orders } from '../dist/orders/routes.js';

orders.handlers.createOrder = async (tx, act, { body }) => (await placeOrders(tx, [{ act, order: body }]))[0];
