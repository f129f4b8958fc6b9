import type { CreateMessages } from '../../../messages/console/create.en.ts';
import { date, money } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { navigate, to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { SelectField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { PreviewButton } from '../../parts/preview-button.tsx';
import { Show } from '../../parts/show.tsx';
import { lotsOf } from './progress.ts';
import type { StepProps } from './setup.tsx';

/** What buyers will see, what is still missing, and the button that puts the event on sale. */
export function PublishStep({ items }: StepProps) {
  const { client } = useConsole();
  const { event, set } = useEvent();
  const t = useMessages<CreateMessages>();
  const toast = useToast();
  const checklist = useData((signal) => client.events.checklist({ id: event.id }, { signal }), [event.id]);
  const overview = to(`/events/${event.id}`);
  const publish = async (isPrivate: boolean) => {
    set(await client.events.publish({ id: event.id, private: isPrivate }));
    toast(isPrivate ? t.publish.donePrivate : t.publish.done);
    navigate(overview);
  };
  return (
    <>
      <Summary items={items} />
      <Show of={checklist}>{({ data }) => <Missing codes={data.filter(({ done }) => !done).map(({ code }) => code)} />}</Show>
      <Form
        initial={{ seen: event.status === 'private' ? 'private' : 'public' }}
        submit={({ values }) => publish(values.seen === 'private')}
        action={t.publish.submit}
        actions={
          <>
            <PreviewButton label={t.publish.preview} />
            <a class="more-link" href={overview}>
              {t.publish.later}
            </a>
          </>
        }
      >
        <SelectField
          name="seen"
          label={t.publish.seen}
          options={[
            { value: 'public', label: t.publish.public },
            { value: 'private', label: t.publish.private },
          ]}
          required
        />
      </Form>
    </>
  );
}

function Summary({ items }: Pick<StepProps, 'items'>) {
  const { locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<CreateMessages>();
  const place = event.venue && [event.venue.name, event.venue.city].filter(Boolean).join(', ');
  return (
    <section class="panel">
      <ul class="create-facts">
        <li>
          <Icon path={icons.calendar} />
          {event.start ? date(event.start, 'longMoment', locale) : t.publish.noDate}
        </li>
        <li>
          <Icon path={icons.pin} />
          {place ?? t.publish.noPlace}
        </li>
        {lotsOf(items).map(({ id, name, quantity, values }) => (
          <li key={id}>
            <Icon path={icons.ticket} />
            <span>
              {name}
              {quantity !== null && <span class="soft"> × {new Intl.NumberFormat(locale).format(quantity)}</span>}
            </span>
            <b>{values && money(values.finalPrice, values.currency, locale)}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Code = keyof CreateMessages['publish']['missing'];

/** The checks that are not done. None of them keeps the event from being published, except those of the steps before. */
function Missing({ codes }: { codes: readonly Code[] }) {
  const { event } = useEvent();
  const t = useMessages<CreateMessages>();
  const placeOf: Partial<Record<Code, string>> = {
    session: '/setup/date',
    future_session: '/setup/date',
    items: '/setup/tickets',
    prices: '/setup/prices',
    sales_periods: '/setup/prices',
    sale_enabled: '/settings/rules',
    description: '/settings/page',
    poster: '/settings/page',
    venue: '/settings',
  };
  if (codes.length === 0) return null;
  return (
    <section class="panel">
      <h2>{t.publish.couldBeBetter}</h2>
      <ul class="create-facts">
        {codes.map((code) => {
          const path = placeOf[code];
          return (
            <li key={code}>
              <Icon path={icons.minus} />
              <span>
                {path === undefined ? t.publish.missing[code] : <a href={to(`/events/${event.id}${path}`)}>{t.publish.missing[code]}</a>}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
