import { generateKeyPairSync } from 'node:crypto';
import { signTickets, type TicketKey, type TicketPublicKey } from '../src/tickets/ticket-code.ts';

/** Creates a pair of ticket keys for event 1. */
export const randomTicketKey = (kid = 0): TicketKey & TicketPublicKey => ({ eventId: 1, kid, ...generateKeyPairSync('ed25519') });

/** Returns the signed code of a ticket. The key decides the event of the ticket. */
export async function signTicket(key: TicketKey, ticketId: number): Promise<string> {
  return (await signTickets(key, [ticketId])).get(ticketId) ?? '';
}
