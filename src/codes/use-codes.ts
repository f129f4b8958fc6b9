import type { Statement } from '../postgres/pipeline.ts';
import { updateStatus } from './codes.sql.ts';

/** Somebody came in with these. Who let them in records it. */
export const useCodes = (ids: readonly number[]): Statement => updateStatus(ids, 'used');

/** They did not after all: back to the ticket that carries it, or to nobody. */
export const giveBackCodes = (ids: readonly number[], to: 'ticket' | 'nobody'): Statement =>
  updateStatus(ids, to === 'ticket' ? 'assigned' : 'available');
