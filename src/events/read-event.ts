import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import type { Event, Session } from './event-schemas.ts';

/**
 * Reads an event as the API returns it. The response has the sale status of each session, which depends on the catalog. This folder may not
 * import the catalog, so the storefront implements this interface.
 */
export interface ReadEvent {
  event(tx: Tx, act: Act, id: number): Promise<Event>;
  session(tx: Tx, act: Act, eventId: number, sessionId: number): Promise<Session>;
}
