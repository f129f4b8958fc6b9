import type { FindScope } from '../accounts/gate.ts';
import { selectExportScope } from './exports.sql.ts';

export const findExportScope: FindScope = selectExportScope;
