import { fromBase32 } from './base32.ts';

/** The content of a code. It can be trusted only if the signature of the code is valid. */
export interface TicketClaim {
  eventId: number;
  ticketId: number;
  /** Which key of the event signed the code. */
  kid: number;
}

export const codeVersion = 1;
const signatureLength = 64;
/** Longer texts are rejected without decoding. The longest code has 132 characters; the rest allows for separators. */
const maxTextLength = 200;
/** Prefix of the signed bytes. Without it, a signature that the same key made for another purpose could be valid for a ticket. */
const purpose = new TextEncoder().encode('tessera ticket code\0');

/** The bytes that the signature of a code signs. */
export function signedMessage(claim: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(purpose.length + claim.length);
  message.set(purpose);
  message.set(claim, purpose.length);
  return message;
}

export interface ReadCode {
  claim: TicketClaim;
  /** The bytes of the claim. `signedMessage` makes the signed message of them. */
  signed: Uint8Array<ArrayBuffer>;
  signature: Uint8Array<ArrayBuffer>;
}

/** Decodes a code without verifying its signature. Returns null if the text is not a ticket code. */
export function readCode(text: string): ReadCode | null {
  const bytes = text.length <= maxTextLength ? fromBase32(text) : null;
  if (!bytes || bytes.length <= signatureLength) return null;
  const signedLength = bytes.length - signatureLength;
  const kid = bytes[1];
  const ids = fromVarints(bytes, 2, signedLength);
  const [eventId, ticketId] = ids ?? [];
  if (bytes[0] !== codeVersion || kid === undefined || eventId === undefined || ticketId === undefined || ids?.length !== 2) return null;
  return { claim: { kid, eventId, ticketId }, signed: bytes.subarray(0, signedLength), signature: bytes.subarray(signedLength) };
}

/**
 * Decodes ids. Returns null for bytes that `toVarint` does not produce, so that each id has only one encoding and each ticket only one
 * code.
 */
function fromVarints(bytes: Uint8Array, from: number, to: number): number[] | null {
  const ids: number[] = [];
  let id = 0;
  let factor = 1;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    id += (byte & 0x7f) * factor;
    if (!Number.isSafeInteger(id) || (byte === 0 && factor > 1)) return null;
    if (byte & 0x80) {
      factor *= 0x80;
    } else {
      ids.push(id);
      id = 0;
      factor = 1;
    }
  }
  return factor === 1 ? ids : null;
}
