import type { AnswerOf } from '../../../client/src/index.ts';

export type Item = AnswerOf<'getItem'>;
export type SalesPeriod = Item['salesPeriods'][number];

/** The sales channels that every event has. Producers can use other numbers too. */
export const webShop = 1;
export const boxOffice = 2;
export const channels = [webShop, boxOffice, 3, 4] as const;

/** The API counts what a channel may sell, also for items without a limit. */
const unlimited = 1_000_000;
export const availableOf = ({ quantity }: Pick<Item, 'quantity'>): number => quantity ?? unlimited;

export const periodOf = ({ salesPeriods }: Pick<Item, 'salesPeriods'>, channel: number): SalesPeriod | undefined =>
  salesPeriods.find(({ appCategoryId }) => appCategoryId === channel);
