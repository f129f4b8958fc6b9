import type { FindScope } from '../accounts/gate.ts';
import { selectItemScope } from './items.sql.ts';

/** An item belongs to its event, and with it to the event's producer. */
export const findItemScope: FindScope = selectItemScope;
