import type { EntryStatus } from '../waiting-list/contract.ts';

/** Why the form of the waiting list was refused, and what it contained. */
export interface WaitingRefusal {
  reason: 'invalid' | 'tooMany' | 'open' | 'busy' | 'other';
  itemId: number;
  quantity: string;
  email: string;
}

/** The form of the event page. Null if nothing is sold out, or if the event has no waiting list. */
export interface WaitingForm {
  /** For how many hours an offer is kept. */
  hours: number;
  /** The sold-out items, and groups that are sold out as a whole. */
  options: readonly { itemId: number; name: string; group: string | null; isGroup: boolean }[];
  sessionId: number | null;
  refused: WaitingRefusal | null;
}

/** The page of an entry. `sent`: the form was sent, and a mail is on its way. `expired`: the address was not confirmed in time. */
export interface WaitingPage {
  kind: 'waiting';
  view: EntryStatus | 'sent' | 'expired' | 'cancelled';
  eventId: number;
  event: { title: string; path: string };
  item: string | null;
  quantity: number;
  position: number | null;
  /** When the offer ends, as local time of the event. */
  until: string | null;
  token: string | null;
  /** Whether the last action failed, because the entry has changed. */
  hasChanged: boolean;
}
