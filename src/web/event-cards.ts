import { type EventPart, type ShortEvent, shortEventFields } from '../storefront/contract.ts';
import type { EventCard } from './contract.ts';
import { posterOf } from './images.ts';

/** The fields that a card needs, for use-cases that return parts of events. */
export const cardFields = shortEventFields.join(',');

export function cardOf(event: ShortEvent): EventCard {
  const { title, subtitle, link, start, finish, venue } = event;
  return {
    title,
    subtitle,
    path: `/event/${link}`,
    poster: posterOf(event),
    start,
    finish,
    venue: venue?.name ?? null,
    city: venue?.city ?? null,
  };
}

/** For use-cases that were asked for `cardFields`. */
export const cardsOf = (events: readonly EventPart[]): EventCard[] => events.map((event) => cardOf(event as ShortEvent));
