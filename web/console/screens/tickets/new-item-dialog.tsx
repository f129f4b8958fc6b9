import { useRef } from 'preact/hooks';
import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FeeLine, feesOf, type TaxPolicy } from '../../parts/fees.tsx';
import { DateTimeField, MoneyField, NumberField, SelectField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { useForm } from '../../parts/form-state.ts';
import { availableOf, type Item, webShop } from '../../parts/item.ts';
import { readMoney } from '../../parts/money-text.ts';
import { localNow } from '../../parts/wall-clock.ts';

interface NewItemDialogProps {
  items: Item[];
  policy: TaxPolicy;
  /** The group that the item is for, from the address. */
  groupId: string | null;
  onClose: () => void;
  onDone: () => unknown;
}

const types = ['ticket', 'group', 'passport', 'courtesy', 'external'] as const;
type ItemType = (typeof types)[number];

interface Values {
  type: string;
  parentId: string | null;
  name: string;
  quantity: number | null;
  price: number | null;
  start: string;
  finish: string;
}

/** A new group or ticket with all that it needs to be sold. */
export function NewItemDialog({ items, policy, groupId, onClose, onDone }: NewItemDialogProps) {
  const { client } = useConsole();
  const t = useMessages<TicketsMessages>();
  const { event } = useEvent();
  const toast = useToast();
  // If the price is refused, the second attempt continues with the item that was created.
  const created = useRef<number | null>(null);
  const groups = items.filter(({ type }) => type === 'group');
  const initial: Values = {
    type: 'ticket',
    parentId: groupId ?? (groups[0] ? String(groups[0].id) : ''),
    name: '',
    quantity: null,
    price: null,
    start: localNow(event.timezone),
    finish: event.start ?? '',
  };
  async function submit({ type, parentId, name, quantity, price, start, finish }: Values): Promise<void> {
    const itemType = type as ItemType;
    const isGroup = itemType === 'group';
    const position = items.length;
    const isInGroup = !isGroup && parentId !== null;
    const item = { name, quantity, position, ...(isInGroup && { parentId: Number(parentId) }) };
    created.current ??= (await client.items.create({ eventId: event.id, type: itemType, ...item })).id;
    if (!isSold(itemType)) return;
    const { feeSale, feeProducer } = feesOf(price ?? 0, policy);
    const edit = {
      id: created.current,
      quantity,
      values: { price: price ?? 0, feeSale, feeProducer },
      salesPeriod: { appCategoryId: webShop, start, finish, available: availableOf({ quantity }) },
    };
    await client.items.updateMany({ id: event.id, items: [edit] });
  }
  return (
    <Dialog title={t.create.title} onClose={onClose}>
      <Form<Values>
        draft={`new-item-${event.id}`}
        initial={initial}
        submit={async ({ values }) => {
          await submit(values);
          toast(fill(t.create.done, { name: values.name }));
        }}
        onDone={() => {
          onClose();
          void onDone();
        }}
        action={t.create.submit}
      >
        <Fields groups={groups} policy={policy} />
      </Form>
    </Dialog>
  );
}

const isSold = (type: string): boolean => type !== 'group' && type !== 'external';

function Fields({ groups, policy }: { groups: Item[]; policy: TaxPolicy }) {
  const t = useMessages<TicketsMessages>();
  const { event } = useEvent();
  const { edits, initial } = useForm();
  const type = String(edits.type ?? initial.type);
  const price = readMoney(String(edits['items[0].price'] ?? edits.price ?? ''));
  return (
    <>
      <div class="columns">
        <SelectField name="type" label={t.create.type} options={types.map((value) => ({ value, label: t.types[value] }))} required />
        {type !== 'group' && groups.length > 0 && (
          <SelectField
            name="parentId"
            label={t.group}
            options={[{ value: '', label: t.noGroup }, ...groups.map(({ id, name }) => ({ value: String(id), label: name }))]}
            required={false}
          />
        )}
      </div>
      <TextField name="name" label={t.name} maxLength={200} required />
      <div class="columns">
        <NumberField name="quantity" label={t.quantity} hint={t.noLimitHint} min={0} max={100_000_000} />
        {isSold(type) && (
          <div>
            <MoneyField name="price" label={t.price} currency={event.currency} required />
            {price !== null && price > 0 && (
              <p class="field-hint">
                <FeeLine fees={feesOf(price, policy)} currency={event.currency} text={t.fees} />
              </p>
            )}
          </div>
        )}
      </div>
      {isSold(type) && (
        <div class="columns">
          <DateTimeField name="start" label={t.periodStart} required />
          <DateTimeField name="finish" label={t.periodFinish} required />
        </div>
      )}
    </>
  );
}
