import { createHmac, hkdfSync, type KeyObject } from 'node:crypto';
import { lettersOf, numberOf } from './base32.ts';
import type { TicketKey } from './ticket-code.ts';

/*
 * A short code is the id of the ticket, a dash, and four check letters, such as `0MX9-9PQ2`. The check letters are an HMAC of the id, so only
 * the service can issue codes. Nothing is stored, and a ticket is found by its short code without an index. A guess is right once in a
 * million times, which is enough for codes that a steward types.
 */

const shortestId = 4;
const checkLetters = 4;
const longest = 12;

export interface ShortCodes {
  /** Returns the short code of a ticket. */
  encode(ticketId: number): string;
  /** Returns the id of the ticket with this short code, or null if the text is no short code of this event. */
  decode(text: string): number | null;
}

/** The key of short codes is derived from the key that signs the tickets. Both are replaced together. */
export function shortCodesOf({ privateKey }: TicketKey): ShortCodes {
  const key = deriveKey(privateKey);
  return {
    encode: (ticketId) => `${lettersOf(ticketId).padStart(shortestId, '0')}-${checkOf(key, ticketId)}`,
    decode(text) {
      const parts = readShortCode(text);
      return parts && checkOf(key, parts.ticketId) === parts.check ? parts.ticketId : null;
    },
  };
}

/** Whether a text has the form of a short code. Imported codes may have this form too. */
export const isShortCode = (text: string): boolean => readShortCode(text) !== null;

/** The form of a short code that devices hash: upper case, without the dash. */
export const plainShortCode = (shortCode: string): string => shortCode.replace('-', '');

function deriveKey(privateKey: KeyObject): Buffer {
  const { d = '' } = privateKey.export({ format: 'jwk' });
  return Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'tessera short code', 32));
}

/** The first 20 bits of the HMAC, as letters. */
function checkOf(key: Buffer, ticketId: number): string {
  const bits = createHmac('sha256', key).update(String(ticketId)).digest().readUInt32BE() >>> 12;
  return lettersOf(bits).padStart(checkLetters, '0');
}

function readShortCode(text: string): { ticketId: number; check: string } | null {
  const letters = text.length <= 2 * longest ? text.replaceAll(/[\s-]/g, '') : '';
  if (letters.length < shortestId + checkLetters || letters.length > longest) return null;
  const ticketId = numberOf(letters.slice(0, -checkLetters));
  const check = numberOf(letters.slice(-checkLetters));
  return ticketId === null || check === null ? null : { ticketId, check: lettersOf(check).padStart(checkLetters, '0') };
}
