import type { Messages } from '../../../messages/catalogues.ts';

/** What the script of the order page needs. It is embedded in the page as JSON. */
export interface OrderData {
  id: number;
  eventId: number;
  state: string;
  isHeld: boolean;
  /** A payment is open, so the page asks for the state of the order often. */
  isPaying: boolean;
  /** The hold has ended, but a payment may still be confirmed. */
  isExpired: boolean;
  locale: string;
  /** Instants. `now` is the time of the server. */
  now: string;
  createdAt: string;
  expiresAt: string;
  messages: Pick<Messages['checkout'], 'minutesLeft' | 'secondsLeft' | 'offline' | 'copied' | 'sending' | 'componentError'>;
}

/** The path of an order below its event. The proxy sends all requests of an event to the same process. */
export const orderPath = (order: { id: number; eventId: number }): string => `/event/${order.eventId}/orders/${order.id}`;
