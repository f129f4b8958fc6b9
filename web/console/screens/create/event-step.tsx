import { etagOf } from '../../../../client/src/index.ts';
import type { CreateMessages } from '../../../messages/console/create.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useData } from '../../app/use-data.ts';
import { type EventData, useEvent } from '../../app/use-event.ts';
import { SelectField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { Show } from '../../parts/show.tsx';
import type { StepProps } from './setup.tsx';

const valuesOf = ({ title, category }: EventData) => ({ title, category });

/** The first step again, for an event that exists. */
export function EventStep({ next }: StepProps) {
  const { client } = useConsole();
  const { event, version, set } = useEvent();
  const t = useMessages<CreateMessages>();
  const categories = useData(async (signal) => (await client.categories.list({}, { signal })).data, []);
  return (
    <Show of={categories}>
      {(rows) => (
        <Form
          draft={`setup-event-${event.id}`}
          initial={valuesOf(event)}
          version={version}
          reread={async () => {
            const fresh = await client.events.get({ id: event.id });
            return { values: valuesOf(fresh), version: etagOf(fresh) };
          }}
          submit={async ({ changed, version: read }) => {
            if (Object.keys(changed).length > 0)
              set(await client.events.update({ id: event.id, ...changed }, { ...(read && { ifMatch: read }) }));
          }}
          onDone={next}
          action={t.continue}
        >
          <TextField name="title" label={t.event.name} maxLength={200} required />
          <SelectField
            name="category"
            label={t.event.category}
            options={rows.map(({ slug, name }) => ({ value: slug, label: name }))}
            required
          />
        </Form>
      )}
    </Show>
  );
}
