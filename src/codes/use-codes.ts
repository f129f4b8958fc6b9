import type { Statement } from '../postgres/pipeline.ts';
import { updateStatus } from './codes.sql.ts';

/** Marks codes as used at check-in. The caller writes the audit entry. */
export const useCodes = (ids: readonly number[]): Statement => updateStatus(ids, 'used');

/** Undoes `useCodes`. Codes of a ticket become `assigned` again, other codes `available`. */
export const giveBackCodes = (ids: readonly number[], to: 'ticket' | 'nobody'): Statement =>
  updateStatus(ids, to === 'ticket' ? 'assigned' : 'available');
