import { generateKeyPairSync } from 'node:crypto';
import { signTickets, type TicketKey, type TicketPublicKey } from '../src/tickets/ticket-code.ts';

/** A new pair of keys for event 1. */
export const randomTicketKey = (kid = 0): TicketKey & TicketPublicKey => ({ eventId: 1, kid, ...generateKeyPairSync('ed25519') });

/** The code of one ticket of the key's event. */
export async function signTicket(key: TicketKey, ticketId: number): Promise<string> {
  return (await signTickets(key, [ticketId])).get(ticketId) ?? '';
}
