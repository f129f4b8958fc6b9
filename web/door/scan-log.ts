import type { CheckinResult, ScanResult, UndoResult } from '../../src/door/contract.ts';
import { type DoorDatabase, isStorageFull } from './database.ts';
import type { LocalDecision } from './decide.ts';

/** Why somebody should look at a scan: the server decided otherwise than this device. */
export type Attention = 'double' | 'refunded' | 'refused' | 'rejected';

interface Logged {
  /** The order of the log. The database assigns it. */
  seq?: number;
  eventId: number;
  nonce: string;
  at: number;
  device: string;
  /** The event, while the row was not sent. Absent afterwards, so that the index contains only waiting rows. */
  waiting?: number;
}

export interface ScanRow extends Logged {
  kind: 'scan';
  /** The scanned text. Null if the ticket was found by name. */
  code: string | null;
  ticketId: number | null;
  sessionId: number | null;
  gate: string;
  direction: 'in' | 'out';
  /** What this device decided by itself. Null without a manifest. */
  local: LocalDecision | null;
  /** What the steward has seen. */
  shown: ScanResult | null;
  server: CheckinResult | null;
  undone: boolean;
  attention: Attention | null;
  /** When somebody worked off the attention. */
  settledAt: number | null;
}

export interface UndoRow extends Logged {
  kind: 'undo';
  undoes: string;
  result: UndoResult['result'] | null;
}

export type LogRow = ScanRow | UndoRow;

export const isScan = (row: LogRow): row is ScanRow => row.kind === 'scan';

/** Rows of the log that were sent are kept for this time, for the list of last scans. */
const keepSentMs = 12 * 3_600_000;

/** The log of this device. A row is on the disk when `add` returns: the steward sees no answer before. */
export class ScanLog {
  readonly #db: DoorDatabase;

  constructor(db: DoorDatabase) {
    this.#db = db;
  }

  /** If the device has no space left, rows that were sent make room. Throws if there are none. */
  async add(row: LogRow): Promise<LogRow> {
    try {
      return await this.#insert(row);
    } catch (error) {
      if (!isStorageFull(error) || (await this.prune(Number.POSITIVE_INFINITY)) === 0) throw error;
      return this.#insert(row);
    }
  }

  async #insert(row: LogRow): Promise<LogRow> {
    const tx = this.#db.transaction('log', 'readwrite', { durability: 'strict' });
    const seq = await tx.store.add(row);
    await tx.done;
    return { ...row, seq };
  }

  /** Reads the rows, changes them and stores them in one transaction, because the queue and the screen change the same rows. */
  async change<Row extends LogRow>(rows: readonly Row[], change: (row: Row) => Row): Promise<Row[]> {
    const tx = this.#db.transaction('log', 'readwrite', { durability: 'strict' });
    const stored = await Promise.all(rows.map(({ nonce }) => tx.store.index('nonce').get(nonce) as Promise<Row | undefined>));
    const changed = stored.flatMap((row) => (row ? [change(row)] : []));
    await Promise.all([...changed.map((row) => tx.store.put(row)), tx.done]);
    return changed;
  }

  /** The next rows of an event to send, in the order of the log. */
  waiting(eventId: number, limit?: number): Promise<LogRow[]> {
    return this.#db.getAllFromIndex('log', 'waiting', eventId, limit);
  }

  /** The rows of all events that were not sent. */
  allWaiting(): Promise<LogRow[]> {
    return this.#db.getAllFromIndex('log', 'waiting');
  }

  waitingCount(eventId?: number): Promise<number> {
    return this.#db.countFromIndex('log', 'waiting', eventId);
  }

  all(): Promise<LogRow[]> {
    return this.#db.getAll('log');
  }

  /** Deletes old rows that were sent and that nobody needs to look at. Returns how many. */
  async prune(now: number): Promise<number> {
    const old = (await this.all()).filter(
      (row) => row.waiting === undefined && row.at < now - keepSentMs && !(isScan(row) && row.attention && !row.settledAt),
    );
    const tx = this.#db.transaction('log', 'readwrite');
    await Promise.all([...old.map(({ seq = 0 }) => tx.store.delete(seq)), tx.done]);
    return old.length;
  }
}
