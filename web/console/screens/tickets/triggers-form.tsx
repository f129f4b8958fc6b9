import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useData } from '../../app/use-data.ts';
import { SelectField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import type { Item } from '../../parts/item.ts';
import { RowList } from '../../parts/row-list.tsx';
import { namesIn, newRows } from '../../parts/rows.ts';
import { Show } from '../../parts/show.tsx';
import type { ItemFormProps } from './item-form.tsx';

const moments = ['soldout', 'start', 'finish'] as const;
const actions = ['open', 'close'] as const;
type Values = { rows: string } & Record<string, string>;

/** What happens to other items when this one sells out, or when its sale starts or finishes. */
export function TriggersForm({ item, data, onSaved }: ItemFormProps) {
  const { client, t: frame } = useConsole();
  const t = useMessages<TicketsMessages>();
  const triggers = useData(async (signal) => (await client.items.triggers.list({ id: item.id }, { signal })).data, [item.id]);
  const others = data.items.filter(({ id, type }) => id !== item.id && type !== 'group');
  const save = (values: Values) =>
    client.items.triggers.replace({
      id: item.id,
      triggers: namesIn(values.rows).map((row) => ({
        on: values[`${row}.on`] as (typeof moments)[number],
        action: values[`${row}.action`] as (typeof actions)[number],
        targetItemId: Number(values[`${row}.target`]),
      })),
    });
  if (others.length === 0) return <p class="soft">{t.triggers.none}</p>;
  return (
    <Show of={triggers}>
      {(rows) => (
        <Form<Values>
          initial={Object.assign(
            { rows: rows.map(({ id }) => `trigger${id}`).join(' ') },
            newRows({ on: 'soldout', action: 'open', target: String(others[0]?.id) }),
            ...rows.map(({ id, on, action, targetItemId }) => ({
              [`trigger${id}.on`]: on,
              [`trigger${id}.action`]: action,
              [`trigger${id}.target`]: String(targetItemId),
            })),
          )}
          submit={({ values }) => save(values)}
          onDone={() => {
            void triggers.reload();
            onSaved();
          }}
          action={frame.save}
        >
          <Rows others={others} fired={new Set(rows.filter(({ firedAt }) => firedAt !== null).map(({ id }) => `trigger${id}`))} />
        </Form>
      )}
    </Show>
  );
}

function Rows({ others, fired }: { others: Item[]; fired: ReadonlySet<string> }) {
  const { triggers: t, tabs } = useMessages<TicketsMessages>();
  const options = {
    on: moments.map((value) => ({ value, label: t.moments[value] })),
    action: actions.map((value) => ({ value, label: t.actions[value] })),
    target: others.map(({ id, name }) => ({ value: String(id), label: name })),
  };
  return (
    <>
      <p class="soft">{t.text}</p>
      <RowList name="rows" label={tabs.triggers} rowClass="tickets-trigger" add={t.add} remove={t.remove}>
        {(row) => (
          <>
            {(['on', 'action', 'target'] as const).map((field) => (
              <SelectField key={field} name={`${row}.${field}`} label={t[field]} options={options[field]} required />
            ))}
            {fired.has(row) && <span class="pill">{t.fired}</span>}
          </>
        )}
      </RowList>
    </>
  );
}
