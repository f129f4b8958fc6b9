import type { Statement } from '../postgres/pipeline.ts';
import { updateStatus } from './codes.sql.ts';

/** Marks codes as used at check-in. The caller writes the audit entry. */
export const useCodes = (eventId: number, ids: readonly number[]): Statement => updateStatus(eventId, ids, 'used');

/** Undoes `useCodes`. Codes of a ticket become `assigned` again, other codes `available`. */
export const giveBackCodes = (eventId: number, ids: readonly number[], to: 'ticket' | 'nobody'): Statement =>
  updateStatus(eventId, ids, to === 'ticket' ? 'assigned' : 'available');
