import type { Widened } from '../catalogues.ts';

/** The texts of the crew in English. */
export const messages = {
  title: 'Team',
  about: 'The people who work at this event. Owners and managers of {producer} can do everything here too.',
  add: 'Add a person',
  columns: { name: 'Person', role: 'Role', actions: 'Change' },
  invited: 'Invited',
  you: 'you',
  change: 'Change the role',
  remove: 'Remove',
  none: {
    title: 'Nobody is in the team yet',
    text: 'Add the people who sell, refund or check tickets at this event. They see only what their role needs.',
  },
  dialog: {
    add: 'Add a person to the team',
    email: 'E-mail',
    emailHint: 'The person gets a mail. Without an account, it has a link to choose a password.',
    name: 'Name',
    role: 'Role',
    noRole: 'Choose what the person will do.',
    submitAdd: 'Add to the team',
    added: '{name} is in the team, and gets a mail.',
    change: 'Role of {name}',
    submitChange: 'Change the role',
    changed: '{name} is now: {role}.',
  },
  removing: {
    title: 'Remove {name} from the team?',
    text: '{name} loses access to this event at once. Orders, notes and scans that {name} made stay.',
    action: 'Remove {name}',
    done: '{name} is no longer in the team.',
  },
  rolesTitle: 'What each role may do',
  roles: {
    admin: { name: 'Event admin', text: 'Everything at this event: tickets, orders, refunds, door, reports and the team.' },
    sales_manager: {
      name: 'Sales manager',
      text: 'Changes tickets and access codes, sells, refunds and sees all reports. Does not change the event or the team, and does not scan.',
    },
    sales_operator: { name: 'Box office seller', text: 'Sells at the box office and looks up orders. Does not refund.' },
    entrance_manager: {
      name: 'Door manager',
      text: 'Scans tickets, searches guests, sees all scans and adds devices. Sees no orders and no money.',
    },
    entrance_operator: {
      name: 'Steward at the door',
      text: 'Scans tickets and sees the guest list. Nothing else. A phone that you pair under Door needs no account.',
    },
  },
} as const;

export type TeamMessages = Widened<typeof messages>;
