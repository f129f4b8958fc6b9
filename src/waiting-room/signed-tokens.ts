import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Tx } from '../postgres/database.ts';

type Secrets = Tx['secrets'];

/** A number in the queue of an event. Whoever has its token has the place. */
export interface QueueNumber {
  eventId: number;
  number: number;
}

/** The right to order, for some minutes. */
export interface Admission extends QueueNumber {
  expiresAt: Date;
}

const keys = new WeakMap<Secrets, Buffer>();

/** A new SECRET_KEY makes all numbers and admissions invalid. */
function keyOf(secrets: Secrets): Buffer {
  const known = keys.get(secrets);
  if (known) return known;
  const key = secrets.deriveKey('waiting room');
  keys.set(secrets, key);
  return key;
}

const macBytes = 16;
type Kind = 'n' | 'a';

/** The kind is signed too, so the token of a number is never accepted as an admission. */
function macOf(secrets: Secrets, content: string): Buffer {
  return createHmac('sha256', keyOf(secrets)).update(content).digest().subarray(0, macBytes);
}

function sign(secrets: Secrets, kind: Kind, values: readonly number[]): string {
  const content = [kind, ...values].join('.');
  return `${content}.${macOf(secrets, content).toString('base64url')}`;
}

function read(secrets: Secrets, kind: Kind, count: number, token: string): number[] | null {
  const [, content = '', mac = ''] = /^([na](?:\.[1-9]\d{0,15})+)\.([\w-]{22})$/.exec(token) ?? [];
  const [found, ...values] = content.split('.');
  if (found !== kind || values.length !== count) return null;
  const sent = Buffer.from(mac, 'base64url');
  // Only the canonical spelling is accepted, so that a token has one text.
  if (sent.length !== macBytes || sent.toString('base64url') !== mac) return null;
  return timingSafeEqual(sent, macOf(secrets, content)) ? values.map(Number) : null;
}

export const signNumber = (secrets: Secrets, { eventId, number }: QueueNumber): string => sign(secrets, 'n', [eventId, number]);

/** Returns null if this service did not sign the token. */
export function readNumber(secrets: Secrets, token: string): QueueNumber | null {
  const [eventId, number] = read(secrets, 'n', 2, token) ?? [];
  return eventId === undefined || number === undefined ? null : { eventId, number };
}

export const signAdmission = (secrets: Secrets, { eventId, number, expiresAt }: Admission): string =>
  sign(secrets, 'a', [eventId, number, expiresAt.getTime()]);

/** Returns null if this service did not sign the token. The caller compares the expiry with the time of the request. */
export function readAdmission(secrets: Secrets, token: string): Admission | null {
  const [eventId, number, expiresAt] = read(secrets, 'a', 3, token) ?? [];
  if (eventId === undefined || number === undefined || expiresAt === undefined) return null;
  return { eventId, number, expiresAt: new Date(expiresAt) };
}
