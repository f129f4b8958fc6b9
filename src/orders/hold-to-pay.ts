/** For payments, which extend the hold of an order once. */
export { type HoldToPay, holdToPay } from './order-writes.sql.ts';
