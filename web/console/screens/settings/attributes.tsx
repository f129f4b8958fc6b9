import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { RowList } from '../../parts/row-list.tsx';
import { namesIn } from '../../parts/rows.ts';
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
  const { attributes: t, subjects } = useMessages<SettingsMessages>();
  return (
    <RowList name="rows" label={subjects.attributes} rowClass="settings-attribute" add={t.add} remove={t.remove} none={t.none}>
      {(row) => (
        <>
          <TextField name={`${row}.key`} label={t.key} maxLength={100} pattern="[A-Za-z][\w.\-]*" required />
          <TextField name={`${row}.value`} label={t.value} maxLength={5000} required />
        </>
      )}
    </RowList>
  );
}
