import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { fill } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { namesIn, useRows } from '../../parts/rows.ts';
import { Show } from '../../parts/show.tsx';
import { SettingsHead } from './settings-head.tsx';

type Value = string | number | boolean;
type Values = { rows: string } & Record<string, string>;

/** `18` is a number, `true` and `false` are yes and no, everything else is a text. */
function typed(text: string): Value {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,10})?$/.test(text) ? Number(text) : text;
}

/** Values that the producer defines, for their own programs and pages. */
export function Attributes() {
  const { client, t: frame } = useConsole();
  const { event } = useEvent();
  const toast = useToast();
  const attributes = useData<Record<string, Value>>((signal) => client.events.attributes({ id: event.id }, { signal }), [event.id]);
  async function save(before: Record<string, Value>, values: Values): Promise<void> {
    const wanted = Object.fromEntries(namesIn(values.rows).map((row) => [values[`${row}.key`] ?? '', typed(values[`${row}.value`] ?? '')]));
    const gone = Object.keys(before).filter((key) => !(key in wanted));
    const changed = Object.entries(wanted).filter(([key, value]) => before[key] !== value);
    const changes: Record<string, Value | null> = { ...Object.fromEntries(changed), ...Object.fromEntries(gone.map((key) => [key, null])) };
    if (Object.keys(changes).length === 0) return;
    attributes.set(await client.events.setAttributes({ id: event.id, body: changes }));
  }
  return (
    <>
      <SettingsHead subject="attributes" />
      <Show of={attributes}>
        {(data) => (
          <div class="narrow">
            <Form<Values>
              draft={`event-attributes-${event.id}`}
              initial={valuesOf(data)}
              submit={({ values }) => save(data, values)}
              onDone={() => toast(frame.saved)}
              action={frame.save}
            >
              <Rows />
            </Form>
          </div>
        )}
      </Show>
    </>
  );
}

function valuesOf(attributes: Record<string, Value>): Values {
  const entries = Object.entries(attributes).toSorted(([a], [b]) => a.localeCompare(b));
  return Object.assign(
    { rows: entries.map((_, index) => `row${index}`).join(' ') },
    ...entries.map(([key, value], index) => ({ [`row${index}.key`]: key, [`row${index}.value`]: String(value) })),
  );
}

function Rows() {
  const t = useMessages<SettingsMessages>();
  const { rows, add, remove } = useRows('rows', t.subjects.attributes);
  return (
    <>
      {rows.length === 0 && <p class="soft">{t.attributes.none}</p>}
      {rows.map((row, index) => (
        <div key={row} class="settings-attribute">
          <TextField name={`${row}.key`} label={t.attributes.key} maxLength={100} pattern="[A-Za-z][\w.\-]*" required />
          <TextField name={`${row}.value`} label={t.attributes.value} maxLength={5000} required />
          <button
            type="button"
            class="icon-button"
            aria-label={fill(t.attributes.remove, { number: index + 1 })}
            onClick={() => remove(row)}
          >
            <Icon path={icons.close} />
          </button>
        </div>
      ))}
      <button type="button" class="button plain settings-add" onClick={add}>
        <Icon path={icons.plus} size={18} />
        {t.attributes.add}
      </button>
    </>
  );
}
