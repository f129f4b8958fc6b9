import { createHash, randomBytes } from 'node:crypto';

const secretBytes = 24;
const format = /^tsd_([1-9]\d{0,14})_[\w-]{32}$/;

export interface DeviceToken {
  eventId: number;
  /** SHA-256 of the token. Only the hash is stored, so a copy of the database gives no access. */
  hash: Buffer;
}

/** The token contains the id of the event, because devices are stored with their event. The rest is random. */
export function createDeviceToken(eventId: number): DeviceToken & { token: string } {
  const token = `tsd_${eventId}_${randomBytes(secretBytes).toString('base64url')}`;
  return { token, eventId, hash: hashOf(token) };
}

/** Returns null if the text does not have the format of a device token. */
export function readDeviceToken(text: string): DeviceToken | null {
  const eventId = format.exec(text)?.[1];
  return eventId === undefined ? null : { eventId: Number(eventId), hash: hashOf(text) };
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
