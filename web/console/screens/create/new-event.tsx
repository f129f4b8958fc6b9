import type { CreateMessages } from '../../../messages/console/create.en.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { navigate, to } from '../../app/place.ts';
import { useData } from '../../app/use-data.ts';
import { SelectField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { Steps } from './steps.tsx';

const ownTimezone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The few fields without which an event cannot exist. The time zone is the reader's, and can be changed in the next step. */
export function NewEvent() {
  const { client, can } = useConsole();
  const t = useMessages<CreateMessages>();
  const choices = useData(async (signal) => {
    const [producers, categories] = await Promise.all([
      client.producers.list({ pageSize: 200 }, { signal }),
      client.categories.list({}, { signal }),
    ]);
    return { producers: producers.data.filter(({ id }) => can('event.manage', { producerId: id })), categories: categories.data };
  }, []);
  type Values = { producerId: string; title: string; category: string };
  const submit = async ({ producerId, ...values }: Values) => {
    const { id } = await client.events.create({ ...values, timezone: ownTimezone, producerId: Number(producerId) });
    navigate(to(`/events/${id}/setup/date`));
  };
  return (
    <>
      <Steps current="event" />
      <PageHead title={t.event.title} about={t.event.text} />
      <Show of={choices}>
        {({ producers, categories }) =>
          producers.length === 0 ? (
            <Lacking what="noProducer" path="/producers" />
          ) : categories.length === 0 ? (
            <Lacking what="noCategory" path="/platform/categories" />
          ) : (
            <div class="narrow">
              <Form<Values>
                draft="new-event"
                initial={{ producerId: String(producers[0]?.id ?? ''), title: '', category: categories[0]?.slug ?? '' }}
                submit={({ values }) => submit({ ...values, producerId: values.producerId || String(producers[0]?.id) })}
                action={t.continue}
              >
                <TextField name="title" label={t.event.name} placeholder={t.event.example} maxLength={200} required autofocus />
                {producers.length > 1 && (
                  <SelectField
                    name="producerId"
                    label={t.event.producer}
                    options={producers.map(({ id, name, currency }) => ({ value: String(id), label: `${name} · ${currency}` }))}
                    required
                  />
                )}
                <SelectField
                  name="category"
                  label={t.event.category}
                  options={categories.map(({ slug, name }) => ({ value: slug, label: name }))}
                  required
                />
              </Form>
            </div>
          )
        }
      </Show>
    </>
  );
}

/** Shown instead of the form while the platform has nothing to choose from. */
function Lacking({ what, path }: { what: 'noProducer' | 'noCategory'; path: string }) {
  const { can } = useConsole();
  const { event: t } = useMessages<CreateMessages>();
  const { title, text, action } = t[what];
  if (can('admin')) return <EmptyState icon={icons.calendar} title={title} text={text} action={{ href: to(path), label: action }} />;
  return <EmptyState icon={icons.calendar} title={title} text={`${text} ${t.askAdmin}`} />;
}
