import type { Readable } from 'node:stream';

/** A file store could not do its work; the message is fit for people. */
export class FileStoreError extends Error {}

/**
 * Where files are kept. A file is there whole or not at all, and never changes. Keys are ours: lower case letters, digits, `-`, `.` and
 * `/`.
 */
export interface Files {
  /** Takes the bytes as they come and no faster than it can keep them. When they break off nothing is left. */
  write(key: string, mediaType: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** The bytes from `from` to `to`, both of them included; null when there is no such file. */
  read(key: string, from: number, to: number): Promise<Readable | null>;
  /** Also what a write that was cut off has left; nothing is said when there is nothing. */
  remove(key: string): Promise<void>;
}

export function requireKey(key: string): string {
  if (/^[a-z0-9][a-z0-9-]*(?:[/.][a-z0-9-]+)*$/.test(key)) return key;
  throw new Error(`${key} is no key of a file`);
}
