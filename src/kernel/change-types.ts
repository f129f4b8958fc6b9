/** The types of changes that webhooks and the feed tell other systems about. */
export const changeTypes = [
  'order.approved',
  'order.refunded',
  'ticket.checked_in',
  'item.soldout',
  'event.published',
  'event.cancelled',
  'export.ready',
] as const;

export type ChangeType = (typeof changeTypes)[number];
