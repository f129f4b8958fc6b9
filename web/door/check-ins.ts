import type { ScanResult } from '../../src/door/contract.ts';
import type { FoundGuest } from '../../src/door/search-contract.ts';
import { type Answer, answerOf, localAnswer, serverAnswer, troubleAnswer } from './answer.ts';
import type { ServerClock } from './clock.ts';
import { decide, findTicket, type LocalDecision, type OwnScan } from './decide.ts';
import type { DoorState } from './door-state.ts';
import { type DoorManifest, slotKey } from './manifest.ts';
import { review } from './review.ts';
import { isScan, type LogRow, type ScanLog, type ScanRow } from './scan-log.ts';
import type { SendQueue } from './send-queue.ts';
import type { Choice } from './settings.ts';
import type { Store } from './store.ts';

/** How long a scan waits for the server before the device decides by itself. */
const serverWaitMs = 1_200;
/** How long a scan can be undone, by the clock of the device. The server has the same limit. */
export const undoMs = 30_000;
const recentCount = 3;

type Target = Pick<ScanRow, 'code' | 'ticketId'>;

interface Parts {
  device: string;
  log: ScanLog;
  queue: SendQueue;
  clock: ServerClock;
  state: Store<DoorState>;
  manifest: () => DoorManifest | null;
  /** Sends the log. */
  flush: () => Promise<unknown>;
}

/** Decides scans. A scan is in the log before its answer is shown. */
export class CheckIns {
  readonly #parts: Parts;
  /** The scans of this device that counted, by ticket and session. */
  readonly #own = new Map<string, OwnScan[]>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reads the log of earlier visits: the entries of this device, its last scans, and what still needs attention. */
  async load(): Promise<void> {
    const scans = (await this.#parts.log.all()).filter(isScan);
    for (const row of scans) this.#keepOwn(row);
    const recent = scans.flatMap((row) => answerOf(row) ?? []).slice(-recentCount);
    const undone = new Set(scans.filter((row) => row.undone).map(({ nonce }) => nonce));
    this.#parts.state.set({ recent: recent.toReversed(), undone, attention: scans.filter(needsAttention) });
  }

  scan(text: string): Promise<Answer | null> {
    return this.#checkIn({ code: text.trim(), ticketId: null }, null);
  }

  /** Lets in a guest whose ticket was found by name. */
  admit({ ticketId, holder }: FoundGuest): Promise<Answer | null> {
    return this.#checkIn({ code: null, ticketId }, holder);
  }

  async #checkIn(target: Target, holder: string | null): Promise<Answer | null> {
    const { clock, state, queue } = this.#parts;
    const { choice, offlineSince } = state.value;
    if (!choice) return null;
    const at = clock.now();
    const local = await this.#decideLocally(target, at, choice.sessionId);
    const isOnline = offlineSince === null && navigator.onLine;
    const row = this.#newRow(target, choice, at, local);
    if (!isOnline && !local) return this.#show(troubleAnswer('noData', row.nonce, at));
    if (!(await this.#add(row))) return this.#show(troubleAnswer('storageFull', row.nonce, at));
    const decided = queue.resultOf(row.nonce, isOnline ? serverWaitMs : 0);
    void this.#parts.flush();
    const server = isOnline ? await decided : null;
    // The next scans do not wait for a server that does not respond. Its next response ends this.
    if (isOnline && !server) state.set({ offlineSince: state.value.offlineSince ?? at });
    if (!server && !local) return this.#show(troubleAnswer('noData', row.nonce, at));
    const answer = server ? serverAnswer(server, at) : localAnswer(local as LocalDecision, row.nonce, at, holder);
    this.#show(answer);
    await this.#remember(row, answer.result as ScanResult);
    return answer;
  }

  async #decideLocally({ code, ticketId }: Target, at: number, sessionId: number | null): Promise<LocalDecision | null> {
    const manifest = this.#parts.manifest();
    if (!manifest) return null;
    const ticket = code === null ? manifest.ticket(ticketId ?? 0) : await findTicket(manifest, code);
    const { direction } = this.#parts.state.value;
    return decide(manifest, ticket, { at, sessionId: sessionId ?? undefined, direction }, (slot) => this.#own.get(slot) ?? []);
  }

  #newRow(target: Target, { eventId, sessionId, gate }: Choice, at: number, local: LocalDecision | null): ScanRow {
    const { device, state } = this.#parts;
    const decided = { local, shown: null, server: null, undone: false, attention: null, settledAt: null };
    const scan = { ...target, eventId, nonce: crypto.randomUUID(), at, device, sessionId, gate, direction: state.value.direction };
    return { kind: 'scan', waiting: eventId, ...scan, ...decided };
  }

  /** Returns false if the device cannot store the row. */
  async #add(row: LogRow): Promise<boolean> {
    const { log, state } = this.#parts;
    try {
      await log.add(row);
      if (state.value.trouble === 'storageFull') state.set({ trouble: null });
      return true;
    } catch {
      // Whatever the reason is, usually a full device: a scan that is not stored does not count.
      state.set({ trouble: 'storageFull' });
      return false;
    }
  }

  /** Stores what the steward sees. The server may have decided meanwhile. */
  async #remember(row: ScanRow, shown: ScanResult): Promise<void> {
    const rows = await this.#parts.log.change([row], (stored) => ({ ...stored, shown }));
    for (const stored of rows) this.#keepOwn(stored);
    await this.review(rows);
  }

  #keepOwn({ shown, direction, local, at, gate, undone, device, nonce }: ScanRow): void {
    if ((shown !== 'admitted' && shown !== 'exited') || !local) return;
    const slot = slotKey(local.ticketId, local.codeId, local.sessionId);
    const others = (this.#own.get(slot) ?? []).filter((scan) => scan.nonce !== nonce);
    this.#own.set(slot, [...others, { nonce, at, device, direction, gate, undone }]);
  }

  #show(answer: Answer): Answer {
    const { recent } = this.#parts.state.value;
    this.#parts.state.set({ answer, recent: [answer, ...recent].slice(0, recentCount) });
    return answer;
  }

  /** Compares what the steward saw with what the server decided. */
  async review(rows: readonly ScanRow[]): Promise<void> {
    const { log, state } = this.#parts;
    const reviews = rows.map((row) => ({ row, ...review(row) }));
    for (const { row } of reviews.filter(({ undo }) => undo)) await this.#addUndo(row, row.at);
    const listed = reviews.filter(({ attention }) => attention !== null);
    if (listed.length === 0) return;
    const attentionOf = new Map(listed.map(({ row, attention }) => [row.nonce, attention]));
    const changed = await log.change(
      listed.map(({ row }) => row),
      (row) => ({ ...row, attention: row.attention ?? attentionOf.get(row.nonce) ?? null }),
    );
    const known = state.value.attention.filter(({ nonce }) => !attentionOf.has(nonce));
    state.set({ attention: [...known, ...changed.filter(needsAttention)] });
  }

  async #addUndo({ eventId, nonce, device }: ScanRow, at: number): Promise<boolean> {
    const undo: LogRow = { kind: 'undo', eventId, undoes: nonce, nonce: crypto.randomUUID(), at, device, waiting: eventId, result: null };
    return this.#add(undo);
  }

  /** Undoes a scan of this device. */
  async undo({ id, at: scannedAt }: Answer): Promise<void> {
    const { log, clock, state } = this.#parts;
    const at = Math.max(clock.now(), scannedAt);
    const row = (await log.all()).filter(isScan).find(({ nonce }) => nonce === id);
    if (!row || row.undone || at - row.at > undoMs || !(await this.#addUndo(row, at))) return;
    const changed = await log.change([row], (stored) => ({ ...stored, undone: true }));
    for (const stored of changed) this.#keepOwn(stored);
    state.set({ undone: new Set([...state.value.undone, id]), answer: null });
    void this.#parts.flush();
  }

  /** Somebody has dealt with a scan that needed attention. */
  async settle(row: ScanRow): Promise<void> {
    const { log, clock, state } = this.#parts;
    await log.change([row], (stored) => ({ ...stored, settledAt: clock.now() }));
    state.set({ attention: state.value.attention.filter(({ nonce }) => nonce !== row.nonce) });
  }
}

const needsAttention = ({ attention, settledAt }: ScanRow): boolean => attention !== null && settledAt === null;
