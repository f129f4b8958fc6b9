import type { Widened } from '../catalogues.ts';

/** The texts of the guest list in English. */
export const messages = {
  title: 'Guests',
  search: 'Name, ticket or order number',
  numbers: { tickets: 'Expected', checked: 'Entered', inside: 'Inside now', unchecked: 'Not here yet' },
  columns: { name: 'Guest', item: 'Ticket', status: 'Entry', number: 'Number', order: 'Order', channel: 'Sold', session: 'Session' },
  any: { status: 'Here or not', item: 'All tickets', session: 'All sessions', channel: 'Sold anywhere' },
  status: { checked: 'Entered', unchecked: 'Not here yet' },
  at: '{time} · {gate}',
  channel: { online: 'Online', offline: 'Box office or elsewhere' },
  noName: 'No name given',
  none: { title: 'No guests yet', text: 'Everybody with a valid ticket appears here.' },
  nothing: { title: 'No guest matches', text: 'Check the spelling, or search with fewer filters.', clear: 'Show all guests' },
} as const;

export type GuestsMessages = Widened<typeof messages>;
