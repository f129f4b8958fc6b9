import type { InputOf } from '../../../../client/src/index.ts';
import { type Item, periodOf, webShop } from '../../parts/item.ts';

/** What the list changes of an item. */
export type ItemChange = Omit<InputOf<'updateItems'>['items'][number], 'id' | 'updatedAt'>;

/** The item as it would be after the change, as far as the list shows it. */
export function stateAfter(item: Item, { quantity, values, salesPeriod }: ItemChange): Partial<Item> {
  const period =
    salesPeriod && item.salesPeriods.map((old) => (old.appCategoryId === salesPeriod.appCategoryId ? { ...old, ...salesPeriod } : old));
  return {
    ...(quantity !== undefined && { quantity }),
    ...(values && { values: { feeSale: 0, feeProducer: 0, finalPrice: 0, price: 0, currency: '', ...item.values, ...values } }),
    ...(period && { salesPeriods: period }),
  };
}

/** The same fields as the change, with the values that the item has now. A price or sale period that did not exist cannot be taken away again. */
export function stateBefore(item: Item, change: ItemChange): ItemChange {
  const { values } = item;
  const period = periodOf(item, webShop);
  return {
    ...(change.quantity !== undefined && { quantity: item.quantity }),
    ...(change.values && values && { values: { price: values.price, feeSale: values.feeSale, feeProducer: values.feeProducer } }),
    ...(change.salesPeriod &&
      period && { salesPeriod: { appCategoryId: webShop, start: period.start, finish: period.finish, available: period.available } }),
  };
}
