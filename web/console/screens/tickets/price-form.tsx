import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { buyerShareOf, FeeLine, feesOf, hasOwnFees, type TaxPolicy } from '../../parts/fees.tsx';
import { MoneyField, SelectField } from '../../parts/fields.tsx';
import { useForm } from '../../parts/form-state.ts';
import type { Item } from '../../parts/item.ts';
import { readMoney } from '../../parts/money-text.ts';
import { ItemForm, type ItemFormProps, type WriteOptions } from './item-form.tsx';

interface Values {
  price: number | null;
  /** The percentage of the fee that the buyer pays, or `own`. */
  fee: string;
  feeSale: number;
  feeProducer: number;
}

/** The price, and who pays the fee of the platform. */
export function PriceForm(props: ItemFormProps) {
  const {
    item,
    data: { policy },
  } = props;
  const { client } = useConsole();
  const valuesOf = ({ values }: Item): Values => ({
    price: values?.price ?? null,
    fee: hasOwnFees(values, policy) ? 'own' : String(buyerShareOf(values, policy)),
    feeSale: values?.feeSale ?? 0,
    feeProducer: values?.feeProducer ?? 0,
  });
  const submit = async ({ price, fee, feeSale, feeProducer }: Values, _changed: Partial<Values>, options: WriteOptions) => {
    const byPolicy = feesOf(price ?? 0, policy, Number(fee));
    const fees = fee === 'own' ? { feeSale, feeProducer } : { feeSale: byPolicy.feeSale, feeProducer: byPolicy.feeProducer };
    const input = { id: item.id, price: price ?? 0, ...fees };
    if (item.values) await client.items.values.update(input, options);
    else await client.items.values.create(input, options);
  };
  return (
    <ItemForm<Values> {...props} draft={`item-price-${item.id}`} valuesOf={valuesOf} submit={submit}>
      <PriceFields policy={policy} share={valuesOf(item).fee} />
    </ItemForm>
  );
}

function PriceFields({ policy, share }: { policy: TaxPolicy; share: string }) {
  const t = useMessages<TicketsMessages>();
  const { event } = useEvent();
  const { edits, initial } = useForm();
  const fee = String(edits.fee ?? initial.fee);
  const price = edits.price === undefined ? (initial.price as number | null) : readMoney(String(edits.price));
  const shares = ['100', '50', '0'];
  const known = share === 'own' || shares.includes(share) ? shares : [share, ...shares];
  const labels: Partial<Record<string, string>> = { '100': t.fee.buyer, '50': t.fee.half, '0': t.fee.producer };
  const options = known.map((value) => ({ value, label: labels[value] ?? fill(t.fee.share, { percent: value }) }));
  return (
    <>
      <MoneyField name="price" label={t.price} hint={t.fee.priceHint} currency={event.currency} required />
      <SelectField name="fee" label={t.fee.who} options={[...options, { value: 'own', label: t.fee.own }]} required />
      {fee === 'own' ? (
        <div class="columns">
          <MoneyField name="feeSale" label={t.fee.sale} currency={event.currency} required />
          <MoneyField name="feeProducer" label={t.fee.fromProducer} currency={event.currency} required />
        </div>
      ) : (
        price !== null && (
          <output class="notice">
            <FeeLine fees={feesOf(price, policy, Number(fee))} currency={event.currency} text={t.fees} />
          </output>
        )
      )}
    </>
  );
}
