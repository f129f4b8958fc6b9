import type { Faq, NewVenue as Venue } from '../events/event-schemas.ts';
import type { AgeRating } from '../kernel/age-ratings.ts';

export interface DemoItem {
  name: string;
  description?: string;
  type?: 'passport' | 'courtesy' | 'external';
  /** The price in cents. */
  price: number;
  quantity?: number;
  hidden?: true;
  /** Passkeys that unlock a hidden item. `from` is in days from today, `limit` in tickets. */
  passkeys?: { text: string; from?: number; limit?: number }[];
  closed?: true;
  halfPrice?: true;
  maximum?: number;
  /** The sessions of the item, as indexes into `sessions` of the event. The default is all sessions. */
  sessions?: number[];
  /** Start and end of the sale, in days from today. The default is from ten days ago until the first session. */
  sale?: [number, number];
  /** Imported codes. The value is the name of the holder. */
  codes?: Record<string, string>;
}

export interface DemoGroup {
  name: string;
  quantity?: number;
  /** Set if the items are sold one after the other: the sale of an item opens when the previous item is sold out. */
  lots?: true;
  items: DemoItem[];
}

export interface DemoEvent {
  title: string;
  subtitle?: string;
  description: string;
  doorsOpen?: number;
  ageRating?: AgeRating;
  faq?: Faq;
  accessibility?: string;
  link: string;
  category: keyof typeof categories;
  producer: 'aurora' | 'mare';
  status: 'draft' | 'published' | 'private' | 'cancelled';
  timezone: string;
  venue: Venue;
  attributes?: Record<string, string | number | boolean>;
  /** `day` is in days from today. */
  sessions: { name: string; day: number; at: string; hours: number; capacity?: number }[];
  items: (DemoItem | DemoGroup)[];
  crew?: true;
}

export const categories = {
  music: 'Music',
  festivals: 'Festivals',
  theater: 'Theater',
  sports: 'Sports',
  conferences: 'Conferences',
  comedy: 'Comedy',
  food: 'Food and drink',
} as const;

type Address = [name: string, street: string, city: string, state: string, zip: string];

export const brazil = ([name, street, city, state, zip]: Address, lat: number, lng: number): Venue => ({
  name,
  street,
  city,
  state,
  country: 'BR',
  zip,
  location: { lat, lng },
});

/** Buyers in Brazil ask this about every event. */
export const halfPriceFaq = {
  question: 'Quem tem direito à meia-entrada?',
  answer:
    'Estudantes, pessoas com deficiência e acompanhante, jovens de baixa renda com ID Jovem, idosos e professores da rede pública. Apresente o documento na entrada, com o ingresso.',
};
