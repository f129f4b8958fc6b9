import type { CreateMessages } from '../../../messages/console/create.en.ts';
import { plural } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { type EventData, useEvent } from '../../app/use-event.ts';
import { DateTimeField, NumberField, SelectField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { addHours, hoursBetween, localNow, usualStart } from '../../parts/wall-clock.ts';
import type { StepProps } from './setup.tsx';

const timezones = Intl.supportedValuesOf('timeZone');
const usualHours = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 24, 48, 72];
const defaultHours = 5;

interface Values {
  start: string;
  hours: string;
  venue: string | null;
  city: string | null;
  capacity: number | null;
  timezone: string;
}

/** One session with the date of the event, and the place. More sessions can be added in the settings. */
export function DateStep({ next }: StepProps) {
  const { client, locale } = useConsole();
  const { event, reload } = useEvent();
  const t = useMessages<CreateMessages>();
  const [session] = event.sessions;
  const hours = session ? hoursBetween(session.start, session.finish) : defaultHours;
  const choices = usualHours.includes(hours) ? usualHours : [...usualHours, hours].toSorted((a, b) => a - b);

  async function save({ start, hours: duration, venue, city, capacity, timezone }: Values): Promise<void> {
    const changesVenue = venue !== (event.venue?.name ?? null) || city !== (event.venue?.city ?? null);
    const changes = {
      ...(timezone !== event.timezone && { timezone }),
      ...(changesVenue && { venue: venueOf(event, venue ?? city, city) }),
    };
    if (Object.keys(changes).length > 0) await client.events.update({ id: event.id, ...changes });
    const times = { start, finish: addHours(start, Number(duration)), capacity };
    if (session) await client.sessions.update({ id: event.id, sessionId: session.id, ...times });
    else await client.sessions.create({ id: event.id, name: t.date.sessionName, ...times });
    await reload();
  }

  return (
    <Form<Values>
      draft={`setup-date-${event.id}`}
      initial={initialOf(event, hours)}
      submit={({ values }) => save(values)}
      onDone={next}
      action={t.continue}
    >
      <div class="columns">
        <DateTimeField name="start" label={t.date.start} required />
        <SelectField
          name="hours"
          label={t.date.duration}
          options={choices.map((value) => ({ value: String(value), label: plural(locale, t.date.hours, value) }))}
          required
        />
      </div>
      <p class="small">
        <a href={to(`/events/${event.id}/settings/sessions`)}>{t.date.more}</a>
      </p>
      <div class="columns">
        <TextField name="venue" label={t.date.venue} placeholder={t.date.venueExample} maxLength={200} />
        <TextField name="city" label={t.date.city} maxLength={100} />
      </div>
      <NumberField name="capacity" label={t.date.capacity} hint={t.date.capacityHint} min={1} max={100_000_000} />
      {/* The API refuses another time zone once the event has a session. */}
      {!session && (
        <SelectField
          name="timezone"
          label={t.date.timezone}
          hint={t.date.timezoneHint}
          // A browser may have a time zone that its own list leaves out, such as UTC.
          options={[...new Set([event.timezone, ...timezones])].map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
          required
        />
      )}
    </Form>
  );
}

const initialOf = ({ sessions: [session], venue, timezone }: EventData, hours: number): Values => ({
  start: session?.start ?? usualStart(localNow(timezone)),
  hours: String(hours),
  venue: venue?.name ?? null,
  city: venue?.city ?? null,
  capacity: session?.capacity ?? null,
  timezone,
});

const venueOf = ({ venue }: EventData, name: string | null, city: string | null) => (name === null ? null : { ...venue, name, city });
