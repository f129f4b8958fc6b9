import type { EventsMessages } from '../../../messages/console/events.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { navigate, to } from '../../app/place.ts';
import { useData } from '../../app/use-data.ts';
import { SelectField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';

const timezones = Intl.supportedValuesOf('timeZone');
const ownTimezone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The few fields without which an event cannot exist. */
export function NewEvent() {
  const { client, can } = useConsole();
  const t = useMessages<EventsMessages>();
  const choices = useData(async (signal) => {
    const [producers, categories] = await Promise.all([
      client.producers.list({ pageSize: 200 }, { signal }),
      client.categories.list({}, { signal }),
    ]);
    return { producers: producers.data.filter(({ id }) => can('event.manage', { producerId: id })), categories: categories.data };
  }, []);
  type Values = { producerId: string; title: string; category: string; timezone: string };
  const submit = async ({ producerId, ...values }: Values) => {
    const { id } = await client.events.create({ ...values, producerId: Number(producerId) });
    navigate(to(`/events/${id}`));
  };
  return (
    <>
      <PageHead title={t.new.title} about={t.new.text} back={{ href: to('/'), label: t.title }} />
      <Show of={choices}>
        {({ producers, categories }) => (
          <div class="narrow">
            <Form<Values>
              draft="new-event"
              initial={{ producerId: String(producers[0]?.id ?? ''), title: '', category: '', timezone: ownTimezone }}
              submit={({ values }) => submit(values)}
              action={t.new.submit}
            >
              <TextField name="title" label={t.new.name} maxLength={200} required autofocus />
              {producers.length > 1 && (
                <SelectField
                  name="producerId"
                  label={t.producer}
                  options={producers.map(({ id, name }) => ({ value: String(id), label: name }))}
                  required
                />
              )}
              <SelectField
                name="category"
                label={t.new.category}
                options={[{ value: '', label: t.new.choose }, ...categories.map(({ slug, name }) => ({ value: slug, label: name }))]}
                required
              />
              <SelectField
                name="timezone"
                label={t.new.timezone}
                options={timezones.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
                required
              />
            </Form>
          </div>
        )}
      </Show>
    </>
  );
}
