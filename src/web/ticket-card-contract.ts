import type { Image } from './contract.ts';

export interface CardSession {
  /** Null if the event has only one session, whose name says nothing that its date does not say. */
  name: string | null;
  /** Local times of the event. */
  start: string;
  doorsOpenAt: string | null;
}

export interface TicketCard {
  id: number;
  number: number;
  item: string;
  holder: string | null;
  /** `used`: somebody was admitted with the ticket, in each of its sessions. */
  status: 'valid' | 'used' | 'refunded';
  sessions: readonly CardSession[];
  /** The QR code as an SVG path, in a square of `size` modules. Null for a refunded ticket. */
  qr: { size: number; path: string } | null;
}

/** The tickets of an order as cards. */
export interface TicketCards {
  orderId: number;
  title: string;
  image: Image;
  venue: { name: string; address: string } | null;
  cards: readonly TicketCard[];
  /** How many tickets the order has. Not all of them may be in `cards`. */
  total: number;
}
