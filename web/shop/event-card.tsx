import type { EventCard as Card } from '../../src/web/contract.ts';
import { bareDate, date, dayRange } from '../ui/format.ts';
import { href, type PageProps } from './page.ts';
import { Picture } from './poster.tsx';

interface EventCardProps extends PageProps {
  event: Card;
  /** The heading level below the heading of the list. */
  level?: 'h2' | 'h3';
  first?: boolean;
}

/** A date on a tile, like a page of a calendar. The text of the card says the same date in words. */
const DateTile = ({ start, locale }: { start: string; locale: string }) => (
  <span class="date-tile" aria-hidden="true">
    <span class="date-tile-month">{bareDate(start, 'month', locale)}</span>
    <span class="date-tile-day">{date(start, 'dayNumber', locale).replaceAll(/\D/g, '')}</span>
  </span>
);

/** The link is on the title and covers the whole card, so that a screen reader hears one short link. */
function EventCard({ frame, t, event, level: Heading = 'h3', first }: EventCardProps) {
  const { title, subtitle, start, finish, venue, city } = event;
  return (
    <article class="card">
      <div class="card-poster">
        <Picture image={event.poster.wide} sizes="(min-width: 1100px) 340px, (min-width: 700px) 45vw, 80vw" {...(first && { first })} />
        {start && <DateTile start={start} locale={frame.locale} />}
      </div>
      <div class="card-text">
        {start && finish && <p class="card-date">{dayRange(start, finish, frame.locale)}</p>}
        <Heading class="card-title">
          <a href={href(frame, event.path)}>{title}</a>
        </Heading>
        {subtitle && <p class="card-subtitle">{subtitle}</p>}
        <p class="card-place">{[venue, city].filter(Boolean).join(' · ') || t.card.online}</p>
      </div>
    </article>
  );
}

interface EventListProps extends PageProps {
  events: readonly Card[];
  /** A `row` scrolls sideways on phones, `large` with larger cards on large screens. A `grid` wraps, as a `list` with small pictures on phones. */
  layout: 'row' | 'row large' | 'grid' | 'grid list';
  level?: 'h2' | 'h3';
  /** Whether the pictures are at the top of the page. */
  first?: boolean;
}

export const EventList = ({ frame, t, events, layout, level = 'h3', first }: EventListProps) => (
  <ul class={`cards ${layout}`}>
    {events.map((event, i) => (
      <li>
        <EventCard frame={frame} t={t} event={event} level={level} {...(first && i < 2 && { first })} />
      </li>
    ))}
  </ul>
);
