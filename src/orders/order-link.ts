import { sign, verify } from 'node:crypto';
import type { TicketKey, TicketPublicKey } from '../tickets/ticket-code.ts';

/** Goes before what is signed, so that no signature made for something else opens an order. */
const purpose = 'tessera order link\0';
const mark = 'm.';

const toSign = (orderId: number): Buffer => Buffer.from(`${purpose}${orderId}`);

/**
 * The secret that stands in the link of a mail. The one that the buyer was given is known to nobody but them, so another is made: a
 * signature by the key of the event, the same each time. It opens the order for reading, and nothing more.
 */
export const mailSecret = (key: TicketKey, orderId: number): string =>
  mark + sign(null, toSign(orderId), key.privateKey).toString('base64url');

export const isMailSecret = (secret: string): boolean => secret.startsWith(mark);

export function opensOrder(secret: string, orderId: number, keys: readonly TicketPublicKey[]): boolean {
  const signature = Buffer.from(secret.slice(mark.length), 'base64url');
  return keys.some(({ publicKey }) => verify(null, toSign(orderId), publicKey, signature));
}
