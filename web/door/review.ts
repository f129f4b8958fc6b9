import type { Attention, ScanRow } from './scan-log.ts';

/** What follows from a difference between the answer that the steward saw and the decision of the server. */
export interface Review {
  attention: Attention | null;
  /** The guest was refused, but the server has counted an entry. It must be undone, or the ticket is lost for the guest. */
  undo: boolean;
}

export function review({ shown, server, undone }: Pick<ScanRow, 'shown' | 'server' | 'undone'>): Review {
  if (!shown || !server || undone || shown === server.result) return { attention: null, undo: false };
  if (shown !== 'admitted') return { attention: null, undo: server.result === 'admitted' };
  if (server.result === 'already_used') return { attention: 'double', undo: false };
  return { attention: server.result === 'refunded' ? 'refunded' : 'refused', undo: false };
}
