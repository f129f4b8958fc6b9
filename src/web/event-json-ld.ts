import type { Event } from '../events/event-schemas.ts';
import type { SaleStatus } from '../kernel/sale-statuses.ts';
import { toInstant } from '../kernel/wall-clock.ts';
import type { TicketGroup } from '../storefront/contract.ts';
import type { Image } from './contract.ts';

interface PageFacts {
  address: string;
  image: Image;
  origin: string;
}

const availability: Record<SaleStatus, string> = {
  available: 'https://schema.org/InStock',
  notstarted: 'https://schema.org/PreOrder',
  soldout: 'https://schema.org/SoldOut',
  finished: 'https://schema.org/OutOfStock',
  unavailable: 'https://schema.org/OutOfStock',
};

/** Describes the event in the vocabulary of schema.org, from which search engines build their event listings. */
export function describeForSearchEngines(event: Event, groups: readonly TicketGroup[], { address, image, origin }: PageFacts): object {
  const instant = instantsIn(event.timezone);
  const cancelled = event.status === 'cancelled';
  return {
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: event.title,
    description:
      event.subtitle ??
      event.description
        .replaceAll(/<[^>]*>/g, ' ')
        .trim()
        .slice(0, 300),
    url: address,
    image: [image.src.startsWith('/') ? origin + image.src : image.src],
    startDate: instant(event.start),
    endDate: instant(event.finish),
    doorTime: event.sessions.length === 1 ? instant(event.sessions[0]?.doorsOpenAt ?? null) : undefined,
    eventStatus: `https://schema.org/${cancelled ? 'EventCancelled' : 'EventScheduled'}`,
    eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
    location: event.venue ? placeOf(event.venue) : undefined,
    organizer: { '@type': 'Organization', name: event.producer.name },
    offers: cancelled ? undefined : offersOf(groups, address, instant),
    subEvent:
      event.sessions.length < 2
        ? undefined
        : event.sessions.map(({ name, start, finish }) => ({
            '@type': 'Event',
            name: `${event.title}: ${name}`,
            startDate: instant(start),
            endDate: instant(finish),
            location: event.venue ? placeOf(event.venue) : undefined,
          })),
  };
}

/** Remembers the instants, because most tickets of an event are sold in the same period. */
function instantsIn(timezone: string): (wallClock: string | null) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (wallClock) => {
    if (wallClock === null) return undefined;
    if (!known.has(wallClock)) known.set(wallClock, toInstant(wallClock, timezone)?.toISOString());
    return known.get(wallClock);
  };
}

function placeOf({ name, street, city, state, country, zip, location }: NonNullable<Event['venue']>): object {
  return {
    '@type': 'Place',
    name,
    address: {
      '@type': 'PostalAddress',
      streetAddress: street ?? undefined,
      addressLocality: city ?? undefined,
      addressRegion: state ?? undefined,
      addressCountry: country ?? undefined,
      postalCode: zip ?? undefined,
    },
    geo: location ? { '@type': 'GeoCoordinates', latitude: location.lat, longitude: location.lng } : undefined,
  };
}

/** The price is the total that the buyer pays. Hidden tickets are left out. */
function offersOf(groups: readonly TicketGroup[], url: string, instant: (wallClock: string | null) => string | undefined): object[] {
  return groups.flatMap(({ name: group, tickets }) =>
    tickets
      .filter(({ finalPrice, hidden }) => finalPrice !== null && !hidden)
      .map(({ name, finalPrice, currency, status, start, finish }) => ({
        '@type': 'Offer',
        name: group === null ? name : `${group}: ${name}`,
        price: ((finalPrice ?? 0) / 100).toFixed(2),
        priceCurrency: currency,
        availability: availability[status],
        validFrom: instant(start),
        validThrough: instant(finish),
        url,
      })),
  );
}
