/** The order is the precedence: a group of items has the first of these statuses that any of its items has. */
export const saleStatuses = ['available', 'notstarted', 'soldout', 'finished', 'unavailable'] as const;
export type SaleStatus = (typeof saleStatuses)[number];
