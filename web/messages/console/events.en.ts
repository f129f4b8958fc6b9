import type { Widened } from '../catalogues.ts';

export const messages = {
  title: 'Events',
  search: 'Search events',
  status: 'Status',
  anyStatus: 'Any status',
  create: 'Create event',
  event: 'Event',
  date: 'Date',
  producer: 'Producer',
  venue: 'Venue',
  noDate: 'no date yet',
  ended: 'Ended',
  none: { title: 'No events yet', text: 'Create your first event. It stays a draft until you publish it.' },
  noneForCrew: { title: 'No events yet', text: 'Events appear here when a producer adds you to the crew.' },
  nothing: { title: 'No event matches', text: 'Try another word or another status.', clear: 'Show all events' },
} as const;

export type EventsMessages = Widened<typeof messages>;
