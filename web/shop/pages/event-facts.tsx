import type { ComponentChildren } from 'preact';
import { fill, plural } from '../../messages/fill.ts';
import { date, dayRange } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import type { EventProps } from './event.tsx';

interface FactProps {
  /** A drawing from icons.ts. */
  icon: string;
  label: string;
  children: ComponentChildren;
}

const Fact = ({ icon, label, children }: FactProps) => (
  <div class="fact">
    <dt>
      <span class="fact-tile">
        <Icon path={icon} />
      </span>
      <span class="visually-hidden">{label}</span>
    </dt>
    <dd>{children}</dd>
  </div>
);

/** When, where and for whom. */
export function EventFacts({ frame, t, page }: EventProps) {
  const { venue, ageRating } = page;
  return (
    <dl class="facts">
      {page.start && page.finish && (
        <Fact icon={icons.calendar} label={t.event.when}>
          <When frame={frame} t={t} page={page} />
        </Fact>
      )}
      <Fact icon={icons.pin} label={t.event.where}>
        <p class="fact-main">{venue?.name ?? t.card.online}</p>
        {venue && (
          <>
            <p class="soft">{[venue.address, venue.city].filter(Boolean).join(', ')}</p>
            <a class="map-link" href={venue.mapUrl} rel="noreferrer">
              {t.event.map} <Icon path={icons.external} size={14} />
            </a>
          </>
        )}
      </Fact>
      {ageRating && (
        <Fact icon={icons.person} label={t.event.admission}>
          <p class="with-icon">
            <span class={`age-rating age-${ageRating}`}>{ageRating}</span> {ageText(ageRating, t)}
          </p>
        </Fact>
      )}
    </dl>
  );
}

const ageText = (rating: string, t: EventProps['t']): string => (rating === 'L' ? t.event.allAges : fill(t.event.fromAge, { age: rating }));

function When({ frame: { locale }, t, page }: EventProps) {
  const { start, finish, sessions } = page;
  if (!start || !finish) return null;
  const [only] = sessions;
  if (only && sessions.length === 1) {
    return (
      <>
        <p class="fact-main">{date(only.start, 'fullDay', locale)}</p>
        <p class="soft">{date(only.start, 'time', locale)}</p>
        {only.doorsOpenAt && <p class="soft">{fill(t.event.doors, { time: date(only.doorsOpenAt, 'time', locale) })}</p>}
      </>
    );
  }
  return (
    <>
      <p class="fact-main">{dayRange(start, finish, locale)}</p>
      <p class="soft">{plural(locale, t.event.sessions, sessions.length)}</p>
    </>
  );
}
