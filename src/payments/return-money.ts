import type { ReturnMoney } from '../orders/refund-order.ts';
import { giveBack } from './providers/sandbox.sql.ts';

/** Only payments of the sandbox have a reference today: cash and sandbox cards are returned by the ledger alone. */
export const returnMoney: ReturnMoney = giveBack;
