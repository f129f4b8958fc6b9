import type { Widened } from '../catalogues.ts';

/** The texts of the box office in English. */
export const messages = {
  title: 'Box office',
  about: 'Sell tickets for cash, and print or mail them at once.',
  session: 'Session',
  tickets: 'Tickets',
  quantity: 'Quantity of {name}',
  less: 'One {name} less',
  more: 'One {name} more',
  left: '{count} left here',
  none: {
    title: 'Nothing is on sale here now',
    text: 'A ticket needs a sale period for the box office that has started and not ended.',
    action: 'Go to the tickets',
  },
  total: 'Total',
  count: { one: '{count} ticket', other: '{count} tickets' },
  received: 'Cash received',
  receivedHint: 'Leave it empty if the customer pays the exact amount.',
  change: 'Change',
  missing: '{amount} is missing.',
  buyer: 'Send the tickets by e-mail too',
  name: 'Name',
  email: 'E-mail',
  buyerIncomplete: 'Enter both the name and the e-mail address, or neither.',
  freeNeedsBuyer: 'Free tickets need a name and an e-mail address.',
  take: 'Take {amount} in cash',
  give: { one: 'Give {count} free ticket', other: 'Give {count} free tickets' },
  choose: 'Choose tickets',
  clear: 'Start over',
  autoPrint: 'Print the tickets after each sale',
  keys: { move: 'choose a ticket', amount: 'quantity', enter: 'go on', escape: 'start over' },
  sending: 'The sale is being stored …',
  waiting: {
    title: 'No answer from the service',
    text: 'The sale is kept on this computer and sent again by itself. Nothing is sold twice. Wait before you hand out tickets.',
    retry: 'Try now',
    abandon: 'Stop trying',
    abandonTitle: 'Stop trying to store this sale?',
    abandonText:
      'The service may have stored the sale of {amount} already. Look into the list of orders before you sell the tickets again.',
  },
  sold: {
    title: { one: '{count} ticket sold', other: '{count} tickets sold' },
    change: 'Change: {amount}',
    exact: 'Paid exactly',
    next: 'Next customer',
    print: 'Print the tickets',
    order: 'Open order {id}',
    mailed: 'The tickets are also on their way to {email}.',
  },
  ticket: { order: 'Order {id}', code: 'Code of the ticket' },
} as const;

export type BoxOfficeMessages = Widened<typeof messages>;
