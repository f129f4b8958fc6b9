import type { ReturnMoney } from '../orders/refund-order.ts';
import { recordReturns } from './providers/sandbox.sql.ts';

/** Only PIX payments of the sandbox have a reference. Refunds of cash and sandbox cards are only recorded in the ledger. */
export const returnMoney: ReturnMoney = recordReturns;
