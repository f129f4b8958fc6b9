/** The demo event that the screens of an event are opened with. It is on sale, and it has orders, guests and a crew. */
export const eventId = 1;

export interface ConsoleScreen {
  /** The path after `/console`. */
  path: string;
  /** The demo account that opens it. Null: nobody is signed in. */
  as: string | null;
  /** An element that is there when the screen is complete. The default is the heading. */
  ready?: string;
}

/** The screens that every browser test of the console opens, by their names. A new screen is added here. */
export const consoleScreens: Record<string, ConsoleScreen> = {
  'sign in': { path: '/', as: null },
  'forgot password': { path: '/forgot', as: null },
  'choose a password': { path: '/password#token=some-token', as: null },
  'accept an invitation': { path: '/invitation#token=some-token', as: null },
  events: { path: '/', as: 'producer@demo.test', ready: '.table' },
  'events without a match': { path: '/?term=nothing-like-this', as: 'producer@demo.test', ready: '.empty' },
  'new event': { path: '/events/new', as: 'producer@demo.test', ready: 'form' },
  'set-up: event': { path: `/events/${eventId}/setup/event`, as: 'producer@demo.test', ready: 'form' },
  'set-up: date': { path: `/events/${eventId}/setup/date`, as: 'producer@demo.test', ready: 'form' },
  'set-up: tickets': { path: `/events/${eventId}/setup/tickets`, as: 'producer@demo.test', ready: '.notice' },
  'set-up: prices': { path: `/events/${eventId}/setup/prices`, as: 'producer@demo.test', ready: 'form' },
  'set-up: publish': { path: `/events/${eventId}/setup/publish`, as: 'producer@demo.test', ready: 'form' },
  tickets: { path: `/events/${eventId}/tickets`, as: 'producer@demo.test', ready: '.tickets' },
  'settings of an item': { path: `/events/${eventId}/tickets?item=3`, as: 'producer@demo.test', ready: 'dialog form' },
  'tickets without permission to change them': { path: `/events/${eventId}/tickets`, as: 'door@demo.test', ready: '.tickets' },
  'details of an event': { path: `/events/${eventId}/settings`, as: 'producer@demo.test', ready: 'form' },
  'page of an event': { path: `/events/${eventId}/settings/page`, as: 'producer@demo.test', ready: 'form' },
  'sessions of an event': { path: `/events/${eventId}/settings/sessions`, as: 'producer@demo.test', ready: '.table' },
  'rules of an event': { path: `/events/${eventId}/settings/rules`, as: 'producer@demo.test', ready: 'form' },
  'waiting room of an event': { path: `/events/${eventId}/settings/waiting-room`, as: 'producer@demo.test', ready: 'form' },
  'attributes of an event': { path: `/events/${eventId}/settings/attributes`, as: 'producer@demo.test', ready: 'form' },
  'status of an event': { path: `/events/${eventId}/settings/status`, as: 'producer@demo.test', ready: '.panel' },
  account: { path: '/account', as: 'producer@demo.test', ready: 'form' },
  security: { path: '/account/security', as: 'producer@demo.test', ready: '.rows' },
  'API tokens': { path: '/account/tokens', as: 'producer@demo.test', ready: '.empty' },
  producers: { path: '/producers', as: 'admin@demo.test', ready: '.table' },
  'profile of a producer': { path: '/producers/1', as: 'producer@demo.test', ready: 'form' },
  members: { path: '/producers/1/members', as: 'producer@demo.test', ready: '.table' },
  payout: { path: '/producers/1/payout', as: 'admin@demo.test', ready: '.panel' },
  webhooks: { path: '/producers/1/webhooks', as: 'producer@demo.test', ready: '.table' },
  'a webhook': { path: '/producers/1/webhooks/1', as: 'producer@demo.test', ready: '.table' },
  overview: { path: `/events/${eventId}`, as: 'producer@demo.test', ready: '.figures' },
  'overview of a draft': { path: '/events/9', as: 'producer@demo.test', ready: '.overview-checklist' },
  'overview without sales': { path: `/events/${eventId}`, as: 'door@demo.test' },
  'entry report': { path: `/events/${eventId}/reports`, as: 'producer@demo.test', ready: '.figures' },
  bordero: { path: `/events/${eventId}/reports/bordero`, as: 'producer@demo.test', ready: '.figures' },
  exports: { path: `/events/${eventId}/exports`, as: 'producer@demo.test', ready: '.empty' },
  platform: { path: '/platform', as: 'admin@demo.test', ready: '.notice.ok' },
  users: { path: '/platform/users', as: 'admin@demo.test', ready: '.table' },
  'a user': { path: '/platform/users/2', as: 'admin@demo.test', ready: '.rows' },
  categories: { path: '/platform/categories', as: 'admin@demo.test', ready: '.ordered' },
  fees: { path: '/platform/tax', as: 'admin@demo.test', ready: '.table' },
  payments: { path: '/platform/payments', as: 'admin@demo.test', ready: '.platform-providers' },
  mailbox: { path: '/platform/mailbox', as: 'admin@demo.test', ready: '.empty, .table' },
  health: { path: '/platform/health', as: 'admin@demo.test', ready: '.table' },
  'home page': { path: '/platform/home', as: 'admin@demo.test', ready: '.ordered' },
  'users for a producer': { path: '/platform/users', as: 'producer@demo.test', ready: '.empty' },
  orders: { path: `/events/${eventId}/orders`, as: 'producer@demo.test', ready: '.table' },
  'orders without a match': { path: `/events/${eventId}/orders?term=nobody`, as: 'producer@demo.test', ready: '.empty' },
  order: { path: `/events/${eventId}/orders/1`, as: 'producer@demo.test', ready: '.table' },
  refunds: { path: `/events/${eventId}/orders/refunds`, as: 'producer@demo.test', ready: '.empty' },
  'box office': { path: `/events/${eventId}/box-office`, as: 'boxoffice@demo.test', ready: '.box' },
  'waiting list': { path: `/events/${eventId}/waiting-list`, as: 'producer@demo.test', ready: '.empty' },
  guests: { path: `/events/${eventId}/guests`, as: 'gate@demo.test', ready: '.table' },
  'access codes': { path: `/events/${eventId}/access-codes`, as: 'producer@demo.test', ready: '.table' },
  codes: { path: `/events/${eventId}/codes`, as: 'producer@demo.test', ready: '.empty' },
  door: { path: `/events/${eventId}/door`, as: 'gate@demo.test', ready: '.figures' },
  scans: { path: `/events/${eventId}/door/scans`, as: 'gate@demo.test', ready: '.empty' },
  team: { path: `/events/${eventId}/team`, as: 'producer@demo.test', ready: '.table' },
  'unknown address': { path: '/nothing/here', as: 'producer@demo.test' },
};
