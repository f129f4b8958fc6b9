import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { CheckboxField, NumberField, SelectField, TextField } from '../../parts/fields.tsx';
import type { Item } from '../../parts/item.ts';
import { RowList } from '../../parts/row-list.tsx';
import { namesIn, newRows } from '../../parts/rows.ts';
import { ItemForm, type ItemFormProps, type WriteOptions } from './item-form.tsx';

const counts = ['minimum', 'maximum', 'maximumPerBuyer'] as const;
const switches = ['halfPrice', 'customCode'] as const;
const attributeTypes = ['string', 'integer', 'decimal', 'boolean', 'datetime'] as const;
type Attribute = Item['attributes'][number];
type Values = Record<string, unknown>;

const isKnown = (key: string): boolean => [...counts, ...switches].some((known) => known === key);

/** How many tickets a buyer can order, half-price tickets, and attributes that the producer defines. */
export function LimitsForm(props: ItemFormProps) {
  const { item } = props;
  const { client } = useConsole();
  const t = useMessages<TicketsMessages>();

  async function submit(values: Values, _changed: Partial<Values>, first: WriteOptions): Promise<void> {
    const wanted = attributesIn(values);
    // The first write checks the version of the item. Each write changes the version.
    let options = first;
    const calls: (() => Promise<unknown>)[] = [
      ...item.attributes
        .filter(({ key }) => !wanted.some((attribute) => attribute.key === key))
        .map(
          ({ key }) =>
            () =>
              client.items.attributes.delete({ id: item.id, key }, options),
        ),
      ...wanted.flatMap((attribute): (() => Promise<unknown>)[] => {
        const old = item.attributes.find(({ key }) => key === attribute.key);
        if (!old) return [() => client.items.attributes.create({ id: item.id, ...attribute }, options)];
        const isSame = String(old.value) === String(attribute.value) && old.type === attribute.type;
        return isSame ? [] : [() => client.items.attributes.update({ id: item.id, ...attribute }, options)];
      }),
    ];
    for (const call of calls) {
      await call();
      options = {};
    }
  }

  return (
    <ItemForm<Values> {...props} draft={`item-limits-${item.id}`} valuesOf={valuesOf} submit={submit}>
      {item.type !== 'group' && (
        <>
          <div class="columns">
            {counts.map((key) => (
              <NumberField key={key} name={key} label={t.limits[key]} min={1} max={500} />
            ))}
          </div>
          <CheckboxField name="halfPrice" label={t.limits.halfPrice} hint={t.limits.halfPriceHint} />
          <CheckboxField name="customCode" label={t.limits.customCode} hint={t.limits.customCodeHint} />
        </>
      )}
      <Attributes />
    </ItemForm>
  );
}

function Attributes() {
  const { attributes: t } = useMessages<TicketsMessages>();
  const types = attributeTypes.map((value) => ({ value, label: t.types[value] }));
  return (
    <fieldset class="stack">
      <legend>{t.title}</legend>
      <p class="field-hint">{t.text}</p>
      <RowList name="rows" label={t.title} rowClass="tickets-attribute" add={t.add} remove={t.remove}>
        {(row) => (
          <>
            <TextField name={`${row}.key`} label={t.key} maxLength={100} pattern="[A-Za-z][\w.\-]*" required />
            <TextField name={`${row}.value`} label={t.value} maxLength={5000} required />
            <SelectField name={`${row}.type`} label={t.type} options={types} required />
          </>
        )}
      </RowList>
    </fieldset>
  );
}

function valuesOf({ attributes }: Item): Values {
  const valueOf = (key: string) => attributes.find((attribute) => attribute.key === key)?.value;
  const own = attributes.filter(({ key }) => !isKnown(key));
  return {
    ...Object.fromEntries(counts.map((key) => [key, valueOf(key) ?? null])),
    ...Object.fromEntries(switches.map((key) => [key, valueOf(key) === true])),
    rows: own.map((_, index) => `own${index}`).join(' '),
    ...newRows({ type: 'string' }),
    ...Object.fromEntries(
      own.flatMap(({ key, value, type }, index) => [
        [`own${index}.key`, key],
        [`own${index}.value`, String(value)],
        [`own${index}.type`, type],
      ]),
    ),
  };
}

/** The attributes that the item should have. A limit that is empty and a switch that is off are no attributes. */
function attributesIn(values: Values): Attribute[] {
  return [
    ...counts.flatMap((key): Attribute[] => (typeof values[key] === 'number' ? [{ key, value: values[key], type: 'integer' }] : [])),
    ...switches.flatMap((key): Attribute[] => (values[key] === true ? [{ key, value: true, type: 'boolean' }] : [])),
    ...namesIn(String(values.rows)).map((row) => ({
      key: String(values[`${row}.key`]),
      value: String(values[`${row}.value`]),
      type: values[`${row}.type`] as Attribute['type'],
    })),
  ];
}
