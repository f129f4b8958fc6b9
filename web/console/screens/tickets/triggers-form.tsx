import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { fill } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useData } from '../../app/use-data.ts';
import { SelectField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import type { Item } from '../../parts/item.ts';
import { namesIn, newRows, useRows } from '../../parts/rows.ts';
import { Show } from '../../parts/show.tsx';
import type { ItemFormProps } from './item-drawer.tsx';

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
  const t = useMessages<TicketsMessages>();
  const { rows, add, remove } = useRows('rows', t.tabs.triggers);
  return (
    <>
      <p class="soft">{t.triggers.text}</p>
      {rows.map((row, index) => (
        <div key={row} class="tickets-trigger">
          <SelectField
            name={`${row}.on`}
            label={t.triggers.on}
            options={moments.map((value) => ({ value, label: t.triggers.moments[value] }))}
            required
          />
          <SelectField
            name={`${row}.action`}
            label={t.triggers.action}
            options={actions.map((value) => ({ value, label: t.triggers.actions[value] }))}
            required
          />
          <SelectField
            name={`${row}.target`}
            label={t.triggers.target}
            options={others.map(({ id, name }) => ({ value: String(id), label: name }))}
            required
          />
          <button type="button" class="icon-button" aria-label={fill(t.triggers.remove, { number: index + 1 })} onClick={() => remove(row)}>
            <Icon path={icons.close} />
          </button>
          {fired.has(row) && <span class="pill">{t.triggers.fired}</span>}
        </div>
      ))}
      <button type="button" class="button plain tickets-add" onClick={add}>
        <Icon path={icons.plus} size={18} />
        {t.triggers.add}
      </button>
    </>
  );
}
