import type { Readable } from 'node:stream';

/** The file store failed. The message is shown to users. */
export class FileStoreError extends Error {}

/**
 * A file store. A file is either complete or absent, and its content never changes. Keys are chosen by the service, not by users. They have
 * lower case letters, digits, `-`, `.` and `/`.
 */
export interface Files {
  /** Stores the bytes with backpressure. If reading them fails, nothing is stored. Writes of the same key may overlap if their content is the same. */
  write(key: string, mediaType: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Returns the bytes from `from` to `to` (inclusive), or null if there is no such file. */
  read(key: string, from: number, to: number): Promise<Readable | null>;
  /** Removes the file, and parts that an interrupted write left. Does nothing if there is no such file. */
  remove(key: string): Promise<void>;
}

export function requireKey(key: string): string {
  if (/^[a-z0-9][a-z0-9-]*(?:[/.][a-z0-9-]+)*$/.test(key)) return key;
  throw new Error(`"${key}" is not a valid file key`);
}
