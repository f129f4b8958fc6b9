import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import type { Event, Session } from './contract.ts';

/**
 * Reads an event as the API returns it. The storefront passes this in: the response has the sale status of each session, which depends on the
 * catalog, and events cannot import the catalog.
 */
export interface ReadEvent {
  event(tx: Tx, act: Act, id: number): Promise<Event>;
  session(tx: Tx, act: Act, eventId: number, sessionId: number): Promise<Session>;
}
