import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { CheckboxField, DateTimeField, NumberField } from '../../parts/fields.tsx';
import { useForm } from '../../parts/form-state.ts';
import { availableOf, channels, type Item, periodOf } from '../../parts/item.ts';
import { localNow } from '../../parts/wall-clock.ts';
import { channelName } from './channel-name.ts';
import { ItemForm, type ItemFormProps, type WriteOptions } from './item-form.tsx';

type Values = Record<string, unknown>;

/** The sale period of each channel. A channel that is not ticked does not sell the item. */
export function SaleForm(props: ItemFormProps) {
  const { item } = props;
  const { client } = useConsole();
  const { event } = useEvent();
  const shown = [...new Set([...channels, ...item.salesPeriods.map(({ appCategoryId }) => appCategoryId)])];
  const valuesOf = (version_: Item): Values =>
    Object.fromEntries(
      shown.flatMap((channel) => {
        const period = periodOf(version_, channel);
        return [
          [`on${channel}`, period !== undefined],
          [`start${channel}`, period?.start ?? localNow(event.timezone)],
          [`finish${channel}`, period?.finish ?? event.start],
          [`available${channel}`, period?.available ?? availableOf(version_)],
        ];
      }),
    );

  async function submit(values: Values, changed: Values, first: WriteOptions): Promise<void> {
    // The first write checks the version of the item. Each write changes the version.
    let options = first;
    for (const channel of shown) {
      const had = periodOf(item, channel) !== undefined;
      const isOn = values[`on${channel}`] === true;
      const isChanged = ['start', 'finish', 'available'].some((field) => `${field}${channel}` in changed);
      const period = {
        id: item.id,
        appCategoryId: channel,
        start: String(values[`start${channel}`]),
        finish: String(values[`finish${channel}`]),
        available: Number(values[`available${channel}`]),
      };
      if (isOn && !had) await client.items.salesPeriods.create(period, options);
      else if (isOn && isChanged) await client.items.salesPeriods.update(period, options);
      else if (!isOn && had) await client.items.salesPeriods.delete({ id: item.id, appCategoryId: channel }, options);
      else continue;
      options = {};
    }
  }

  return (
    <ItemForm<Values> {...props} valuesOf={valuesOf} submit={submit}>
      {shown.map((channel) => (
        <Channel key={channel} channel={channel} item={item} />
      ))}
    </ItemForm>
  );
}

function Channel({ channel, item }: { channel: number; item: Item }) {
  const t = useMessages<TicketsMessages>();
  const { edits, initial } = useForm();
  const isOn = (edits[`on${channel}`] ?? initial[`on${channel}`]) === true;
  const period = periodOf(item, channel);
  const hint = period && period.sold + period.held > 0 ? fill(t.channels.sales, { sold: period.sold, held: period.held }) : undefined;
  return (
    <div class="tickets-channel">
      <CheckboxField name={`on${channel}`} label={channelName(t, channel)} {...(hint && { hint })} />
      {isOn && (
        <div class="columns">
          <DateTimeField name={`start${channel}`} label={t.periodStart} required />
          <DateTimeField name={`finish${channel}`} label={t.periodFinish} required />
          <NumberField name={`available${channel}`} label={t.available} min={0} max={100_000_000} required />
        </div>
      )}
    </div>
  );
}
