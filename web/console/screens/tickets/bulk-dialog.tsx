import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { plural } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { buyerShareOf, feesOf, hasOwnFees, type TaxPolicy } from '../../parts/fees.tsx';
import { DateTimeField, MoneyField, NumberField, SelectField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { useForm } from '../../parts/form-state.ts';
import { availableOf, type Item, periodOf, webShop } from '../../parts/item.ts';
import { errorText } from '../../parts/show.tsx';
import { type ItemChange, stateBefore } from './item-change.ts';

interface BulkDialogProps {
  items: Item[];
  policy: TaxPolicy;
  onClose: () => void;
  onDone: () => void;
}

interface Values {
  mode: string;
  price: number | null;
  percent: number | null;
  quantity: number | null;
  start: string | null;
  finish: string | null;
}

const unchanged: Values = { mode: 'keep', price: null, percent: null, quantity: null, start: null, finish: null };

/** Changes several lots at once. What stays empty is not changed. */
export function BulkDialog({ items, policy, onClose, onDone }: BulkDialogProps) {
  const { client, t: frame, locale } = useConsole();
  const t = useMessages<TicketsMessages>();
  const { event } = useEvent();
  const toast = useToast();
  const send = (changes: readonly ItemChange[], isUndo: boolean) => {
    const edits = items.map(({ id, updatedAt }, index) => ({ id, ...(!isUndo && { updatedAt }), ...changes[index] }));
    return client.items.updateMany({ id: event.id, items: edits.filter((edit) => Object.keys(edit).length > (isUndo ? 1 : 2)) });
  };
  const undo = async (before: ItemChange[]) => {
    try {
      await send(before, true);
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
    onDone();
  };
  const submit = async (values: Values) => {
    const changes = items.map((item) => changeOf(item, values, policy));
    if (changes.some((change) => Object.keys(change).length > 0)) await send(changes, false);
    const before = items.map((item, index) => stateBefore(item, changes[index] ?? {}));
    toast(plural(locale, t.bulk.done, items.length), { action: { label: frame.undo, run: () => undo(before) } });
  };
  return (
    <Dialog title={plural(locale, t.editSelected, items.length)} onClose={onClose}>
      <Form
        initial={unchanged}
        submit={({ values }) => submit(values)}
        onDone={onDone}
        action={plural(locale, t.bulk.submit, items.length)}
      >
        <p class="soft">{t.bulk.text}</p>
        <Price currency={event.currency} />
        <NumberField name="quantity" label={t.bulk.quantity} min={0} max={100_000_000} />
        <div class="columns">
          <DateTimeField name="start" label={t.periodStart} />
          <DateTimeField name="finish" label={t.periodFinish} />
        </div>
      </Form>
    </Dialog>
  );
}

function Price({ currency }: { currency: string }) {
  const t = useMessages<TicketsMessages>();
  const { edits, initial } = useForm();
  const mode = edits.mode ?? initial.mode;
  const options = (['keep', 'set', 'percent'] as const).map((value) => ({ value, label: t.bulk.modes[value] }));
  return (
    <div class="columns">
      <SelectField name="mode" label={t.price} options={options} required />
      {mode === 'set' && <MoneyField name="price" label={t.bulk.newPrice} currency={currency} required />}
      {mode === 'percent' && <NumberField name="percent" label={t.bulk.percent} hint={t.bulk.percentHint} min={-100} max={1000} required />}
    </div>
  );
}

/** Prices that were raised by a percentage are rounded to full units of the currency, if they were before. */
function raised(price: number, percent: number): number {
  const exact = Math.round((price * (100 + percent)) / 100);
  return price % 100 === 0 ? Math.round(exact / 100) * 100 : exact;
}

function pricesOf({ values }: Item, price: number, policy: TaxPolicy): NonNullable<ItemChange['values']> {
  if (hasOwnFees(values, policy)) return { price };
  const { feeSale, feeProducer } = feesOf(price, policy, buyerShareOf(values, policy));
  return { price, feeSale, feeProducer };
}

function changeOf(item: Item, { mode, price, percent, quantity, start, finish }: Values, policy: TaxPolicy): ItemChange {
  const old = item.values?.price ?? 0;
  const next = mode === 'set' ? price : mode === 'percent' ? raised(old, percent ?? 0) : null;
  const period = periodOf(item, webShop);
  const isPeriodChanged = start !== null || finish !== null || (quantity !== null && period?.available === item.quantity && period);
  const available = quantity !== null && (!period || period.available === item.quantity) ? quantity : undefined;
  return {
    ...(next !== null && { values: pricesOf(item, next, policy) }),
    ...(quantity !== null && { quantity }),
    ...(isPeriodChanged && {
      salesPeriod: {
        appCategoryId: webShop,
        ...(start !== null && { start }),
        ...(finish !== null && { finish }),
        available: available ?? period?.available ?? availableOf(item),
      },
    }),
  };
}
