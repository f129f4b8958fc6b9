import type { ReturnMoney } from '../orders/refund-order.ts';
import { recordReturns } from './providers/sandbox.sql.ts';

/** Only PIX payments of the sandbox have a reference. Cash and sandbox cards are returned in the ledger only. */
export const returnMoney: ReturnMoney = recordReturns;
