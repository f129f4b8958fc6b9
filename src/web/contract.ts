import type { Category } from '../events/category-contract.ts';
import type { Event } from '../events/event-schemas.ts';
import type { Locale } from '../kernel/locale.ts';
import type { TicketGroup } from '../storefront/contract.ts';
import type { OrderPage } from './order-contract.ts';
import type { QueuePage } from './queue-contract.ts';
import type { WaitingForm, WaitingPage } from './waiting-contract.ts';

/*
 * What a page shows, as data. `src/web` reads the data from the use-cases. `web/shop` turns it into HTML. Neither imports code of the other:
 * `web/shop` imports these types, and `src/web` loads the built renderer.
 */

/** A picture and the sizes it is stored in. `sources` is empty for a picture on another server and for a drawn mosaic. */
export interface Image {
  src: string;
  sources: readonly { type: string; srcset: string }[];
  width: number;
  height: number;
}

/** A poster in three shapes. An uploaded poster is the same picture in all; a mosaic is drawn for each. */
export interface Poster {
  tall: Image;
  wide: Image;
  /** For the cover of the home page. */
  banner: Image;
}

export interface EventCard {
  title: string;
  subtitle: string | null;
  /** The path after the language, such as `/event/noite-de-samba`. */
  path: string;
  poster: Poster;
  /** Local times of the event. Null until the event has a session. */
  start: string | null;
  finish: string | null;
  venue: string | null;
  city: string | null;
}

/** What every page needs for its head, header and footer. */
export interface Frame {
  locale: Locale;
  /** The address of the shop without a path, such as `https://tickets.example`. */
  origin: string;
  /** The path after the language. It is the same in all languages. */
  path: string;
  /** The query of the address, such as `?q=samba`, so that a change of the language keeps it. Empty if there is none. */
  query: string;
  categories: readonly Pick<Category, 'slug' | 'name'>[];
  testMoney: boolean;
  /** The address of each script of `web/`, by its name, with the chunks that it imports. */
  scripts: Readonly<Record<string, { src: string; imports: readonly string[] }>>;
}

export interface HomePage {
  kind: 'home';
  cover: { title: string | null; image: Image | null; path: string | null; event: EventCard | null } | null;
  featured: readonly EventCard[];
  /** Pictures that link to an address. Entries with an event are in `featured`. */
  banners: readonly { image: Image; target: string }[];
  sections: readonly { title: string; slug: string; events: readonly EventCard[] }[];
  upcoming: readonly EventCard[];
}

export interface SearchFilters {
  q: string;
  category: string;
  state: string;
  from: string;
  to: string;
}

export interface SearchPage {
  kind: 'search';
  /** The category whose page this is. Null on the search page. */
  category: { slug: string; name: string } | null;
  filters: SearchFilters;
  states: readonly string[];
  /** Dates for the quick filters. */
  presets: Readonly<Record<'weekend' | 'week' | 'month', { from: string; to: string }>>;
  events: readonly EventCard[];
  total: number;
  nextCursor: string | null;
  invalid: boolean;
}

export interface Session {
  id: number;
  name: string;
  start: string;
  finish: string;
  doorsOpenAt: string | null;
  status: Event['sessions'][number]['status'];
}

/** Whether the access code in the address was accepted, or why not. */
export type CodeState = 'none' | 'accepted' | 'unknown' | 'early' | 'late' | 'exhausted' | 'locked';

/** Why an order was refused. */
export interface Refusal {
  reason: 'sold_out' | 'not_on_sale' | 'rule' | 'session' | 'empty' | 'too_many' | 'busy' | 'challenge' | 'other';
  lines: readonly { name: string; remaining: number }[];
  /** For `challenge`: the proof-of-work challenge that the browser solves. */
  challenge: unknown;
}

/** What the ticket choice needs in the browser. It is embedded in the page as JSON. */
export interface TicketChoice {
  eventId: number;
  locale: Locale;
  currency: string;
  maximumPerOrder: number;
  groups: readonly TicketGroup[];
  /** When each session starts, by its id. */
  sessionStarts: Readonly<Record<number, string>>;
  /** The session that the tickets are for. Null if buyers do not choose a session. */
  sessionId: number | null;
  passkey: string | null;
  /** Quantities of an order that was refused, by item. */
  chosen: Readonly<Record<number, number>>;
  refusal: Refusal | null;
  /** Whether the event is a draft. Then nothing can be ordered, and the tickets do not change. */
  isPreview: boolean;
  /** The address of the form for sold-out items. Null if there is none. */
  waitingListHref: string | null;
}

export interface EventPage {
  kind: 'event';
  id: number;
  title: string;
  subtitle: string | null;
  /** Sanitised HTML. */
  description: string;
  link: string;
  status: Event['status'];
  /** The token of the preview link that opened the page. Null for the public page. */
  preview: string | null;
  isOver: boolean;
  poster: Poster;
  start: string | null;
  finish: string | null;
  sessions: readonly Session[];
  /** Whether buyers must choose a session, because an item is sold for several. */
  choosesSession: boolean;
  venue: { name: string; address: string | null; city: string | null; mapUrl: string } | null;
  producer: { name: string; path: string };
  /** The slug of one of the categories of the frame. */
  category: string;
  ageRating: string | null;
  faq: readonly { question: string; answer: string }[];
  accessibility: string | null;
  withdrawalDays: number;
  code: { text: string; state: CodeState; minutes: number };
  choice: TicketChoice;
  waiting: WaitingForm | null;
  /** The waiting room of the sale. Null if there is none. `isAdmitted`: the visitor comes from the waiting room. */
  queue: { state: 'before' | 'open' | 'paused'; opensAt: string; isAdmitted: boolean } | null;
  similar: readonly EventCard[];
  jsonLd: object;
}

/** The widget for other sites. */
export interface EmbedPage {
  kind: 'embed';
  event: EventPage;
}

export interface ProducerPage {
  kind: 'producer';
  name: string;
  description: string | null;
  logo: Image | null;
  links: readonly { kind: string; url: string }[];
  events: readonly EventCard[];
  nextCursor: string | null;
}

export interface ProblemPage {
  kind: 'problem';
  problem: 'notFound' | 'order' | 'busy' | 'limit' | 'error' | 'bad';
  requestId: string;
}

export type ShopPage = HomePage | SearchPage | EventPage | EmbedPage | ProducerPage | OrderPage | QueuePage | WaitingPage | ProblemPage;

export interface Rendered {
  html: string;
  /** The hash of the style element, for the Content-Security-Policy. */
  styleHash: string;
}

/** The function that the built file `dist/web/server/shop.js` exports. */
export type RenderPage = (frame: Frame, page: ShopPage) => Rendered;
