/** Whether something can be bought now. Sorted: of several items the first status that one of them has is that of all together. */
export const saleStatuses = ['available', 'notstarted', 'soldout', 'finished', 'unavailable'] as const;
export type SaleStatus = (typeof saleStatuses)[number];
