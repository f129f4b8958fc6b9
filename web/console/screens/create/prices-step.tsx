import type { CreateMessages } from '../../../messages/console/create.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { buyerShareOf, FeeLine, feesOf, type TaxPolicy } from '../../parts/fees.tsx';
import { CheckboxField, DateTimeField, MoneyField, SelectField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { useForm } from '../../parts/form-state.ts';
import { availableOf, boxOffice, periodOf, webShop } from '../../parts/item.ts';
import { readMoney } from '../../parts/money-text.ts';
import { Show } from '../../parts/show.tsx';
import { localNow } from '../../parts/wall-clock.ts';
import { lotsOf } from './progress.ts';
import type { StepProps } from './setup.tsx';

interface Values {
  buyerShare: string;
  start: string;
  finish: string;
  boxOffice: boolean;
  [field: string]: unknown;
}

export function PricesStep({ items, next }: StepProps) {
  const { client } = useConsole();
  const { event } = useEvent();
  const policy = useData((signal) => client.tax.eventPolicy({ id: event.id }, { signal }), [event.id]);
  return <Show of={policy}>{(data) => <Prices items={items} policy={data} next={next} />}</Show>;
}

/** The field has the name that the errors of `PUT /event/{id}/items` have. */
const priceField = (index: number): string => `items[${index}].price`;

function Prices({ items, policy, next }: StepProps & { policy: TaxPolicy }) {
  const { client } = useConsole();
  const { event } = useEvent();
  const t = useMessages<CreateMessages>();
  const lots = lotsOf(items);
  const first = lots[0];
  const saved = first && periodOf(first, webShop);
  const initial: Values = {
    ...Object.fromEntries(lots.map((lot, index) => [priceField(index), lot.values?.price])),
    buyerShare: String(buyerShareOf(first?.values ?? null, policy)),
    start: saved?.start ?? localNow(event.timezone),
    finish: saved?.finish ?? event.start ?? '',
    boxOffice: !saved || lots.some((lot) => periodOf(lot, boxOffice)),
  };

  async function save(values: Values): Promise<void> {
    const { start, finish } = values;
    const edits = lots.map((lot, index) => {
      const { price, feeSale, feeProducer } = feesOf(Number(values[priceField(index)]), policy, Number(values.buyerShare));
      const salesPeriod = { appCategoryId: webShop, start, finish, available: availableOf(lot) };
      return { id: lot.id, values: { price, feeSale, feeProducer }, salesPeriod };
    });
    await client.items.updateMany({ id: event.id, items: edits });
    if (!values.boxOffice) return;
    // The box office sells until the end of the event.
    const until = event.finish ?? finish;
    const atBoxOffice = lots.map((lot) => ({
      id: lot.id,
      salesPeriod: { appCategoryId: boxOffice, start, finish: until, available: availableOf(lot) },
    }));
    await client.items.updateMany({ id: event.id, items: atBoxOffice });
  }

  return (
    <Form<Values>
      draft={`setup-prices-${event.id}`}
      initial={initial}
      submit={({ values }) => save(values)}
      onDone={next}
      action={t.continue}
    >
      {lots.map((lot, index) => (
        <div key={lot.id} class="create-price">
          <MoneyField name={priceField(index)} label={lot.name} currency={event.currency} required />
          <LiveFees name={priceField(index)} policy={policy} />
        </div>
      ))}
      <SelectField name="buyerShare" label={t.prices.who} options={shareOptions(t, Number(initial.buyerShare))} required />
      <div class="columns">
        <DateTimeField name="start" label={t.prices.start} required />
        <DateTimeField name="finish" label={t.prices.finish} required />
      </div>
      <CheckboxField name="boxOffice" label={t.prices.boxOffice} hint={t.prices.boxOfficeHint} />
    </Form>
  );
}

function shareOptions({ prices: t }: CreateMessages, current: number): { value: string; label: string }[] {
  const known = [
    { value: '100', label: t.buyer },
    { value: '50', label: t.half },
    { value: '0', label: t.producer },
  ];
  const isKnown = known.some(({ value }) => value === String(current));
  return isKnown ? known : [{ value: String(current), label: t.policy.replace('{percent}', String(current)) }, ...known];
}

/** What the buyer pays and what the producer receives, with every letter that is typed. */
function LiveFees({ name, policy }: { name: string; policy: TaxPolicy }) {
  const { event } = useEvent();
  const t = useMessages<CreateMessages>();
  const { edits, initial, id } = useForm();
  const typed = edits[name];
  const price = typed === undefined ? (initial[name] as number | null | undefined) : readMoney(String(typed));
  const share = Number(edits.buyerShare ?? initial.buyerShare);
  return (
    <output class="create-fees small" for={`${id}-${name}`}>
      {price === null || price === undefined ? (
        t.prices.noPrice
      ) : price === 0 ? (
        t.prices.free
      ) : (
        <FeeLine fees={feesOf(price, policy, share)} currency={event.currency} text={t.prices.fees} />
      )}
    </output>
  );
}
