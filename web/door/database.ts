import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Manifest } from '../../src/door/contract.ts';
import type { LogRow } from './scan-log.ts';

interface DoorSchema extends DBSchema {
  /** Small values by name, see settings.ts. */
  settings: { key: string; value: unknown };
  /** The manifest of an event as one file. As rows, a hundred thousand tickets take seconds to read. */
  snapshots: { key: number; value: { eventId: number; file: Blob } };
  /** The changes of the manifest since its snapshot. */
  changes: { key: number; value: { eventId: number; page: Manifest } };
  /** The scans and undos of this device. */
  log: { key: number; value: LogRow; indexes: { waiting: number; nonce: string } };
}

export type DoorDatabase = IDBPDatabase<DoorSchema>;

/**
 * Opens the database of the app. A later version adds to it and deletes nothing, because the log may contain scans that were not sent yet.
 */
export const openDatabase = (): Promise<DoorDatabase> =>
  openDB<DoorSchema>('tessera-door', 1, {
    upgrade(db) {
      db.createObjectStore('settings');
      db.createObjectStore('snapshots', { keyPath: 'eventId' });
      db.createObjectStore('changes', { autoIncrement: true });
      const log = db.createObjectStore('log', { keyPath: 'seq', autoIncrement: true });
      log.createIndex('waiting', 'waiting');
      log.createIndex('nonce', 'nonce', { unique: true });
    },
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
  });

/** Whether the device has no space left. Some browsers report it only when the transaction ends. */
export const isStorageFull = (error: unknown): boolean => error instanceof DOMException && error.name === 'QuotaExceededError';
