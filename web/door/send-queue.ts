import type { CheckinResult } from '../../src/door/contract.ts';
import type { DoorApi, Reply } from './api.ts';
import { isScan, type LogRow, type ScanLog, type ScanRow, type UndoRow } from './scan-log.ts';

const batchSize = 100;

type QueuedLog = Pick<ScanLog, 'waiting' | 'change'>;
type QueueApi = Pick<DoorApi, 'checkIn' | 'undo'>;

/** What stopped the queue before it was empty. */
export type QueueStop = Exclude<Reply<unknown>, { kind: 'ok' }>;

const instant = (ms: number): string => new Date(ms).toISOString();

const toEntry = (row: ScanRow): object => ({
  ...(row.code === null ? { ticketId: row.ticketId } : { code: row.code }),
  ...(row.sessionId !== null && { sessionId: row.sessionId }),
  ...(row.direction === 'out' && { direction: 'out' }),
  at: instant(row.at),
  ...(row.gate !== '' && { gate: row.gate }),
  device: row.device,
  nonce: row.nonce,
});

/** The row after it left the queue. */
function sent<Row extends LogRow>(row: Row): Row {
  const copy = { ...row };
  delete copy.waiting;
  return copy;
}

const toUndo = ({ undoes, at, device, nonce }: UndoRow): object => ({ undoes, at: instant(at), device, nonce });

/**
 * Sends the log in its order. The server counts each nonce once, so rows without a response are simply sent again. Rows leave the queue only
 * after the server has stored them.
 */
export class SendQueue {
  readonly #log: QueuedLog;
  readonly #api: QueueApi;
  /** Called after the server has decided scans and the log contains its results. */
  readonly #decided: (rows: ScanRow[]) => Promise<void>;
  readonly #waiters = new Map<string, (result: CheckinResult | null) => void>();
  #running: Promise<QueueStop | null> | null = null;
  #again = false;

  constructor(log: QueuedLog, api: QueueApi, decided: (rows: ScanRow[]) => Promise<void>) {
    this.#log = log;
    this.#api = api;
    this.#decided = decided;
  }

  /** Resolves with the result of the server for a scan, or null if it does not come in time. */
  resultOf(nonce: string, timeoutMs: number): Promise<CheckinResult | null> {
    return new Promise((resolve) => {
      const finish = (result: CheckinResult | null) => {
        clearTimeout(timer);
        this.#waiters.delete(nonce);
        resolve(result);
      };
      const timer = setTimeout(() => finish(null), timeoutMs);
      this.#waiters.set(nonce, finish);
    });
  }

  /** Sends everything of an event that waits. Returns what stopped it, or null if all was sent. */
  flush(eventId: number): Promise<QueueStop | null> {
    this.#again = true;
    // Another tab may send the same log at the same time. The server would not count twice, but the order would be lost.
    this.#running ??= navigator.locks
      .request('tessera-door-send', () => this.#run(eventId))
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  async #run(eventId: number): Promise<QueueStop | null> {
    let stop: QueueStop | null = null;
    while (this.#again && !stop) {
      this.#again = false;
      stop = await this.#sendAll(eventId);
    }
    // Nobody waits for a server that cannot be reached.
    if (stop) for (const nonce of this.#waiters.keys()) this.#waiters.get(nonce)?.(null);
    return stop;
  }

  async #sendAll(eventId: number): Promise<QueueStop | null> {
    for (;;) {
      const rows = await this.#log.waiting(eventId, batchSize);
      const [first] = rows;
      if (!first) return null;
      const others = rows.findIndex((row) => row.kind !== first.kind);
      const batch = others < 0 ? rows : rows.slice(0, others);
      const stop = isScan(first)
        ? await this.#sendScans(batch as [ScanRow, ...ScanRow[]])
        : await this.#sendUndos(batch as [UndoRow, ...UndoRow[]]);
      if (stop) return stop;
    }
  }

  async #sendScans(rows: readonly [ScanRow, ...ScanRow[]]): Promise<QueueStop | null> {
    const reply = await this.#api.checkIn(rows[0].eventId, rows.map(toEntry));
    if (reply.kind !== 'ok') return this.#setAside(reply, rows);
    const results = new Map(reply.body.results.map((result) => [result.nonce, result]));
    const decided = await this.#log.change(rows, (row) => ({ ...sent(row), server: results.get(row.nonce) ?? null }));
    for (const { nonce, server } of decided) this.#waiters.get(nonce)?.(server);
    await this.#decided(decided);
    return null;
  }

  async #sendUndos(rows: readonly [UndoRow, ...UndoRow[]]): Promise<QueueStop | null> {
    const reply = await this.#api.undo(rows[0].eventId, rows.map(toUndo));
    if (reply.kind !== 'ok') return this.#setAside(reply, rows);
    const results = new Map(reply.body.results.map(({ nonce, result }) => [nonce, result]));
    await this.#log.change(rows, (row) => ({ ...sent(row), result: results.get(row.nonce) ?? null }));
    return null;
  }

  /**
   * The server refuses a request as a whole, for example because one scan is older than 30 days. The refused rows leave the queue and are
   * listed, so that they do not hold up the others.
   */
  async #setAside(reply: QueueStop, rows: readonly LogRow[]): Promise<QueueStop | null> {
    if (reply.kind !== 'refused' || (reply.status !== 422 && reply.status !== 400)) return reply;
    const refused = new Set(reply.fields.map((field) => Number(/entries\[(\d+)\]|entries\/(\d+)/.exec(field)?.slice(1).find(Boolean))));
    const named = rows.filter((_, i) => refused.has(i));
    const set = await this.#log.change<LogRow>(named.length > 0 ? named : rows.slice(0, 1), (row) =>
      isScan(row) ? { ...sent(row), attention: 'rejected' } : sent(row),
    );
    for (const { nonce } of set) this.#waiters.get(nonce)?.(null);
    return null;
  }
}
