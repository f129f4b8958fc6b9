import { hash } from 'node:crypto';
import { endianness } from 'node:os';
import { purpose, type ReadCode } from './ticket-code.ts';

/** The order of the group that Ed25519 works in (RFC 8032). */
const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
const halfLength = 32;

/** A private key taken apart as RFC 8032 does before it signs. */
export interface CheckingKey {
  eventId: number;
  kid: number;
  scalar: bigint;
  /** The prefix and the purpose, and room for what is signed: what r is made of. */
  ofR: Buffer;
  /** Room for R, the public key and the purpose, and room for what is signed: what h is made of. */
  ofH: Buffer;
}

/** Of the longest text that is worth a look. */
const longestSigned = 64;

export function toCheckingKey(eventId: number, kid: number, publicKey: Buffer, seed: Buffer): CheckingKey {
  const expanded = hash('sha512', seed, 'buffer');
  const scalar = expanded.subarray(0, halfLength);
  scalar[0] = (scalar[0] as number) & 0xf8;
  scalar[halfLength - 1] = ((scalar[halfLength - 1] as number) & 0x7f) | 0x40;
  const room = Buffer.alloc(longestSigned);
  number.set(scalar);
  return {
    eventId,
    kid,
    scalar: readHalf(),
    ofR: Buffer.concat([expanded.subarray(halfLength), purpose, room]),
    ofH: Buffer.concat([Buffer.alloc(halfLength), publicKey, purpose, room]),
  };
}

/**
 * Whether we have signed what the code says: as `verifyTicketCode`, some ten times faster, for who has the private key.
 *
 * A signature is a point R and a number S = r + h·a, with r = SHA-512(prefix, message) and h = SHA-512(R, public key, message). Who knows
 * the prefix and a computes what S must be for the R at hand, without work on the curve. For a ticket whose code one has not seen, r is
 * as good as random, and so is the S to guess, one of 2²⁵²; for one whose code one has seen, any other pair would tell a.
 */
export function isTrue(code: ReadCode, keys: readonly CheckingKey[]): boolean {
  const key = keys.find(({ eventId, kid }) => eventId === code.claim.eventId && kid === code.claim.kid);
  return key !== undefined && isSigned(key, code);
}

/** Whole houses are checked here, so that nothing is allocated or copied that need not be. */
function isSigned({ scalar, ofR, ofH }: CheckingKey, { bytes, signedLength }: ReadCode): boolean {
  const unused = longestSigned - signedLength;
  put(bytes, 0, signedLength, ofR, ofR.length - longestSigned);
  const r = sha512Integer(ofR.subarray(0, ofR.length - unused));
  put(bytes, signedLength, signedLength + halfLength, ofH, 0);
  put(bytes, 0, signedLength, ofH, ofH.length - longestSigned);
  const h = sha512Integer(ofH.subarray(0, ofH.length - unused));
  put(bytes, signedLength + halfLength, bytes.length, number, 0);
  return readHalf() === (r + h * scalar) % order;
}

/** For so few bytes quicker than `copy`. */
function put(bytes: Buffer, from: number, to: number, into: Buffer, at: number): void {
  for (let i = from; i < to; i++) into[at + i - from] = bytes[i] as number;
}

const number = Buffer.alloc(64);
const words = new BigUint64Array(number.buffer, number.byteOffset, 8);
const isBigEndian = endianness() === 'BE';

/** A hash comes as text in half the time that it takes as bytes. */
function sha512Integer(message: Buffer): bigint {
  number.write(hash('sha512', message, 'binary'), 'binary');
  if (isBigEndian) number.swap64();
  return (halfAt(4) << 256n) | halfAt(0);
}

/** Of the first half of `number`. */
function readHalf(): bigint {
  if (isBigEndian) number.swap64();
  return halfAt(0);
}

/** The lowest byte first. Made of pairs, as what is done to large numbers costs more than to small ones. */
const halfAt = (word: number): bigint => (pairAt(word + 2) << 128n) | pairAt(word);
const pairAt = (word: number): bigint => ((words[word + 1] as bigint) << 64n) | (words[word] as bigint);
