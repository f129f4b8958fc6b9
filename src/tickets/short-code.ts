import { createCipheriv, hkdfSync, type KeyObject } from 'node:crypto';
import { fromBase32, toBase32 } from './base32.ts';
import type { TicketKey } from './ticket-code.ts';

/*
 * A short code is the id of the ticket, encrypted with a key of the event. So every ticket has its own short code, nothing is stored, and a
 * ticket is found by its short code without an index. Somebody who knows short codes cannot tell another one: of 2^40 possible codes, only
 * those of sold tickets are valid.
 *
 * Block ciphers encrypt 128 bits, which are too many to type. So the cipher is a Feistel network over 40 bits with AES-256 as its round
 * function. NIST SP 800-38G (FF1) has the same structure and the same number of rounds.
 */

const rounds = 10;
const half = 2 ** 20;
const length = 8;
const blockBytes = 16;

export interface ShortCodes {
  /** Returns the short codes of these tickets, in the same order, such as `7K3M-9PQ2`. */
  encode(ticketIds: readonly number[]): string[];
  /** Returns the id of the ticket with this short code. Most texts that were never issued result in the id of no ticket. */
  decode(text: string): number | null;
}

/** The key of short codes is derived from the key that signs the tickets. Both are replaced together. */
export function shortCodesOf({ privateKey }: TicketKey): ShortCodes {
  const key = deriveKey(privateKey);
  return {
    encode: (ids) => encrypt(key, ids).map(toText),
    decode(text) {
      const value = readShortCode(text);
      return value === null ? null : (decrypt(key, [value])[0] ?? null);
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

function toText(value: number): string {
  const bytes = Buffer.alloc(5);
  bytes.writeUIntBE(value, 0, 5);
  const text = toBase32(bytes);
  return `${text.slice(0, length / 2)}-${text.slice(length / 2)}`;
}

function readShortCode(text: string): number | null {
  const letters = text.length <= 2 * length ? text.replaceAll(/[\s-]/g, '') : '';
  const bytes = letters.length === length ? fromBase32(letters) : null;
  return bytes === null ? null : Buffer.from(bytes).readUIntBE(0, 5);
}

/** A number of 40 bits as two halves. */
interface Halves {
  left: number[];
  right: number[];
}

function toHalves(values: readonly number[]): Halves {
  const wrong = values.find((value) => !(value >= 0 && value < half * half));
  if (wrong !== undefined) throw new RangeError(`${wrong} does not fit into a short code`);
  return { left: values.map((value) => Math.floor(value / half)), right: values.map((value) => value % half) };
}

function encrypt(key: Buffer, values: readonly number[]): number[] {
  let { left, right } = toHalves(values);
  for (let round = 0; round < rounds; round++) [left, right] = [right, mix(key, round, left, right)];
  return left.map((value, i) => value * half + (right[i] as number));
}

function decrypt(key: Buffer, values: readonly number[]): number[] {
  let { left, right } = toHalves(values);
  for (let round = rounds - 1; round >= 0; round--) [left, right] = [mix(key, round, right, left), left];
  return left.map((value, i) => value * half + (right[i] as number));
}

/** Combines each value with 20 bits that AES derives from the round and the other half. All values of a round are one call of the cipher. */
function mix(key: Buffer, round: number, values: readonly number[], others: readonly number[]): number[] {
  const blocks = Buffer.alloc(others.length * blockBytes);
  for (const [i, other] of others.entries()) {
    blocks[i * blockBytes] = round;
    blocks.writeUInt32BE(other, i * blockBytes + 4);
  }
  // Each block is encrypted by itself and never decrypted. ECB is unsafe for messages, but right for a round function.
  const derived = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(blocks);
  return values.map((value, i) => value ^ (derived.readUInt32BE(i * blockBytes) >>> 12));
}
