import type { RowKey } from '../kernel/ids-by-event.ts';
import type { NewChange } from '../platform/changes/record-changes.ts';

/** A change of an order that webhooks and the feed tell. */
export const orderChange = (type: 'order.approved' | 'order.refunded', { eventId, id }: RowKey, at: Date): NewChange => ({
  eventId,
  type,
  subject: { kind: 'order', id },
  at,
});
