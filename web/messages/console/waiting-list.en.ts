import type { Widened } from '../catalogues.ts';

/** The texts of the waiting list in English. */
export const messages = {
  title: 'Waiting list',
  about: 'People who wait for sold-out tickets. When tickets come back, the first in line gets an offer by mail.',
  search: 'E-mail address',
  numbers: { waiting: 'In line', offered: 'Open offers', bought: 'Bought', lapsed: 'Lapsed' },
  tickets: { one: '{count} ticket', other: '{count} tickets' },
  lines: 'By ticket',
  columns: {
    email: 'E-mail',
    position: 'Place',
    status: 'Status',
    quantity: 'Quantity',
    item: 'Ticket',
    session: 'Session',
    since: 'In line since',
    until: 'Offer until',
    waitingTickets: 'Tickets wanted',
    actions: 'Actions',
  },
  any: { status: 'Any status', item: 'All tickets' },
  status: {
    unconfirmed: 'Not confirmed',
    waiting: 'In line',
    offered: 'Offer open',
    bought: 'Bought',
    lapsed: 'Offer lapsed',
    left: 'Left',
    removed: 'Removed',
  },
  order: 'Order {id}',
  erased: 'Address erased',
  off: { title: 'Nobody can join now', text: 'The waiting list of this event is off. People who are in line still get their offers.' },
  none: {
    title: 'Nobody waits yet',
    text: 'When a ticket is sold out, its page offers the waiting list. An offer is kept for {hours} hours.',
  },
  nothing: { title: 'No entry matches', text: 'Check the spelling, or search with fewer filters.', clear: 'Show all entries' },
  remove: {
    open: 'Remove',
    title: 'Remove {email}?',
    place: 'The person loses the place in the line, and the address is erased.',
    offer: {
      one: 'The offer of {count} ticket is cancelled. The ticket goes to the next in line, and the address is erased.',
      other: 'The offer of {count} tickets is cancelled. The tickets go to the next in line, and the address is erased.',
    },
    address: 'The entry has ended. Its address is erased.',
    action: 'Remove entry',
    done: 'The entry was removed.',
  },
  settings: {
    open: 'Waiting list settings',
    title: 'Waiting list settings',
    on: 'People can join the waiting list',
    onHint: 'The form is on the page of the event while something is sold out.',
    hours: 'Hours to accept an offer',
    hoursHint: 'From 1 to 168. After that, the tickets go to the next in line. An offer also ends when the sale ends.',
  },
} as const;

export type WaitingListMessages = Widened<typeof messages>;
