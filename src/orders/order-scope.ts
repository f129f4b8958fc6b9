import type { FindScope } from '../accounts/gate.ts';
import { selectOrderScope } from './order-rows.sql.ts';

/** An order belongs to its event, and with it to the event's producer. */
export const findOrderScope: FindScope = selectOrderScope;
