import type { FindScope } from '../accounts/gate.ts';
import { selectExportScope } from './exports.sql.ts';

/** An export belongs to its event, and with it to the event's producer. */
export const findExportScope: FindScope = selectExportScope;
