import { ageRatings } from '../../../../src/kernel/age-ratings.ts';
import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useData } from '../../app/use-data.ts';
import { type EventData, useEvent } from '../../app/use-event.ts';
import { NumberField, SelectField, TextField } from '../../parts/fields.tsx';
import { Show } from '../../parts/show.tsx';
import { EventForm } from './event-form.tsx';
import { SettingsHead } from './settings-head.tsx';

const venueFields = ['name', 'street', 'city', 'state', 'country', 'zip'] as const;
type VenueField = `venue.${(typeof venueFields)[number]}`;

type Values = Pick<EventData, 'title' | 'subtitle' | 'category' | 'link' | 'ageRating' | 'doorsOpen'> & Record<VenueField, string | null>;

const valuesOf = ({ title, subtitle, category, link, ageRating, doorsOpen, venue }: EventData): Values => ({
  title,
  subtitle,
  category,
  link,
  ageRating,
  doorsOpen,
  ...(Object.fromEntries(venueFields.map((field) => [`venue.${field}`, venue?.[field] ?? null])) as Record<VenueField, string | null>),
});

/** Title, category, link, venue, age rating and doors. */
export function Details() {
  const { client } = useConsole();
  const t = useMessages<SettingsMessages>();
  const { event } = useEvent();
  const categories = useData(async (signal) => (await client.categories.list({}, { signal })).data, []);
  return (
    <>
      <SettingsHead subject="details" />
      <Show of={categories}>
        {(rows) => (
          <div class="narrow">
            <EventForm<Values> name="details" valuesOf={valuesOf} changesOf={(values, changed) => changesOf(event, values, changed)}>
              <TextField name="title" label={t.details.title} maxLength={200} required />
              <TextField name="subtitle" label={t.details.subtitle} maxLength={200} />
              <div class="columns">
                <SelectField
                  name="category"
                  label={t.details.category}
                  options={rows.map(({ slug, name }) => ({ value: slug, label: name }))}
                  required
                />
                <SelectField
                  name="ageRating"
                  label={t.details.ageRating}
                  options={[
                    { value: '', label: t.details.noAgeRating },
                    ...ageRatings.map((value) => ({
                      value,
                      label: value === 'L' ? t.details.allAges : fill(t.details.fromAge, { age: value }),
                    })),
                  ]}
                />
              </div>
              <TextField
                name="link"
                label={t.details.link}
                hint={fill(t.details.linkHint, { address: `${location.origin}/event/${event.link}` })}
                maxLength={100}
                pattern="(?!\d+$)[a-z0-9]+(-[a-z0-9]+)*"
                required
              />
              <NumberField name="doorsOpen" label={t.details.doors} hint={t.details.doorsHint} min={0} max={1440} />
              <fieldset class="stack">
                <legend>{t.details.venue}</legend>
                <TextField name="venue.name" label={t.details.venueName} maxLength={200} />
                <TextField name="venue.street" label={t.details.street} maxLength={200} />
                <div class="columns">
                  <TextField name="venue.city" label={t.details.city} maxLength={100} />
                  <TextField name="venue.zip" label={t.details.zip} maxLength={20} />
                  <TextField name="venue.state" label={t.details.state} maxLength={2} pattern="[A-Za-z]{2}" placeholder="SP" />
                  <TextField name="venue.country" label={t.details.country} maxLength={2} pattern="[A-Za-z]{2}" placeholder="BR" />
                </div>
              </fieldset>
              <p class="small soft">{fill(t.details.fixed, { timezone: event.timezone.replaceAll('_', ' '), currency: event.currency })}</p>
            </EventForm>
          </div>
        )}
      </Show>
    </>
  );
}

/** The API replaces the venue as a whole. A venue without a name is named after its city. */
function changesOf({ venue }: EventData, values: Values, changed: Partial<Values>) {
  const { title, subtitle, category, link, ageRating, doorsOpen } = changed;
  const isVenueChanged = Object.keys(changed).some((field) => field.startsWith('venue.'));
  const name = values['venue.name'] ?? values['venue.city'];
  const next = {
    ...(venue?.location && { location: venue.location }),
    ...Object.fromEntries(venueFields.map((field) => [field, values[`venue.${field}`]])),
    name: name ?? '',
  };
  return {
    ...(title !== undefined && { title }),
    ...(subtitle !== undefined && { subtitle }),
    ...(category !== undefined && { category }),
    ...(link !== undefined && { link }),
    ...(ageRating !== undefined && { ageRating }),
    ...(doorsOpen !== undefined && { doorsOpen }),
    ...(isVenueChanged && { venue: name === null ? null : next }),
  };
}
