import { useRef } from 'preact/hooks';
import type { CreateMessages } from '../../../messages/console/create.en.ts';
import { fill } from '../../../messages/fill.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useEvent } from '../../app/use-event.ts';
import { NumberField, SelectField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import type { Item } from '../../parts/item.ts';
import { RowList } from '../../parts/row-list.tsx';
import { lotsOf } from './progress.ts';
import { saveTickets, type TicketValues } from './save-tickets.ts';
import type { StepProps } from './setup.tsx';

/** A group with lots. Two or three lots are suggested, because that is how most events are sold. */
export function TicketsStep({ items, next }: StepProps) {
  const { client } = useConsole();
  const { event } = useEvent();
  const t = useMessages<CreateMessages>();
  // Lots that were created before a request failed are not created again.
  const created = useRef(new Map<string, number>()).current;
  if (!isSimple(items)) return <OwnTickets next={next} />;
  const group = items.find(({ type }) => type === 'group');
  const initial = items.length === 0 ? suggested(t) : savedValues(items, group);
  return (
    <Form<TicketValues>
      draft={`setup-tickets-${event.id}`}
      initial={initial}
      submit={({ values }) => saveTickets({ client, eventId: event.id, saved: items, created }, values)}
      onDone={next}
      action={t.continue}
    >
      <TextField name="group" label={t.tickets.group} hint={t.tickets.groupHint} maxLength={200} required />
      <Lots />
      <SelectField
        name="opens"
        label={t.tickets.opens}
        options={[
          { value: 'soldout', label: t.tickets.opensSoldout },
          { value: 'together', label: t.tickets.opensTogether },
        ]}
        required
      />
    </Form>
  );
}

function Lots() {
  const { tickets: t } = useMessages<CreateMessages>();
  return (
    <fieldset class="create-lots">
      <legend>{t.lots}</legend>
      <RowList name="rows" label={t.lots} rowClass="create-lot" add={t.add} remove={t.remove} least={1}>
        {(row, number) => (
          <>
            <TextField name={`${row}.name`} label={fill(t.lotName, { number })} maxLength={200} required />
            <NumberField name={`${row}.quantity`} label={t.quantity} min={1} max={100_000_000} required />
          </>
        )}
      </RowList>
    </fieldset>
  );
}

/** Shown if the event has tickets that this step did not make. */
function OwnTickets({ next }: Pick<StepProps, 'next'>) {
  const { event } = useEvent();
  const t = useMessages<CreateMessages>();
  return (
    <>
      <Notice tone="plain">
        <p>{t.tickets.own}</p>
        <a href={to(`/events/${event.id}/tickets`)}>{t.tickets.edit}</a>
      </Notice>
      <div class="actions">
        <button type="button" class="button" onClick={next}>
          {t.continue}
        </button>
      </div>
    </>
  );
}

/** The step can only edit what it makes itself: one group with lots of which none is sold. */
const isSimple = (items: readonly Item[]): boolean => {
  const groups = items.filter(({ type }) => type === 'group');
  const isPlain = (lot: Item) => lot.type === 'ticket' && lot.sold + lot.held === 0 && lot.parentId === groups[0]?.id;
  return groups.length <= 1 && lotsOf(items).every(isPlain);
};

const suggested = ({ tickets: t }: CreateMessages): TicketValues => ({
  group: t.suggestedGroup,
  rows: 'new1 new2 new3',
  'new1.name': t.lot1,
  'new1.quantity': 100,
  'new2.name': t.lot2,
  'new2.quantity': 200,
  'new3.name': t.lot3,
  'new3.quantity': 200,
  opens: 'soldout',
});

function savedValues(items: readonly Item[], group: Item | undefined): TicketValues {
  const lots = lotsOf(items);
  const fields = lots.flatMap(({ id, name, quantity }) => [
    [`item${id}.name`, name],
    [`item${id}.quantity`, quantity],
  ]);
  return {
    group: group?.name ?? '',
    rows: lots.map(({ id }) => `item${id}`).join(' '),
    opens: lots.length > 1 && lots.every(({ salable }) => salable) ? 'together' : 'soldout',
    ...Object.fromEntries(fields),
  };
}
