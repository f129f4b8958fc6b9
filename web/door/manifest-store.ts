import type { Manifest } from '../../src/door/contract.ts';
import type { DoorApi, Reply } from './api.ts';
import type { DoorDatabase } from './database.ts';
import { DoorManifest } from './manifest.ts';

/** After this many changed rows the whole manifest is written again as one file. */
const changesPerSnapshot = 2_000;

/** Keeps the manifest of one event on the device and up to date. */
export class ManifestStore {
  readonly #db: DoorDatabase;
  readonly #api: DoorApi;
  readonly eventId: number;
  /** Null until the first download is complete. */
  manifest: DoorManifest | null = null;
  /** A complete download that has not ended. It is not used for decisions, because tickets are missing. */
  #partial: DoorManifest | null = null;
  #unsaved = 0;

  constructor(db: DoorDatabase, api: DoorApi, eventId: number) {
    this.#db = db;
    this.#api = api;
    this.eventId = eventId;
  }

  /** Reads the manifest from the device. Returns false if there is none. */
  async load(): Promise<boolean> {
    const start = performance.now();
    const snapshot = await this.#db.get('snapshots', this.eventId);
    if (!snapshot) return false;
    const manifest = DoorManifest.fromText(await snapshot.file.text());
    for (const { eventId, page } of await this.#db.getAll('changes')) if (eventId === this.eventId) manifest.apply(page);
    this.manifest = manifest;
    performance.measure('read manifest', { start });
    return true;
  }

  /** Downloads everything, or what has changed. `onPage` is called after each part of a complete download. Returns whether anything changed. */
  async update(onPage: (tickets: number) => void): Promise<Reply<boolean>> {
    let changed = false;
    for (;;) {
      const current = this.#partial ?? this.manifest;
      const reply = await this.#api.manifest(this.eventId, current?.facts.next);
      if (reply.kind !== 'ok') return reply;
      const page = reply.body;
      const target = current && !page.reset ? current : new DoorManifest(page);
      if (target !== this.manifest) this.#partial = target;
      target.apply(page);
      const rows = page.tickets.length + page.codes.length + page.admissions.length;
      changed ||= rows > 0 || page.reset || page.codesReset;
      if (this.#partial) onPage(target.ticketCount);
      else if (rows > 0 || page.codesReset) await this.#saveChange(page, rows);
      if (page.more) continue;
      if (this.#partial) await this.#saveSnapshot(target);
      this.manifest = target;
      this.#partial = null;
      return { kind: 'ok', body: changed };
    }
  }

  async #saveChange(page: Manifest, rows: number): Promise<void> {
    this.#unsaved += rows;
    if (this.#unsaved > changesPerSnapshot && this.manifest) return this.#saveSnapshot(this.manifest);
    await this.#ignoreFull(this.#db.add('changes', { eventId: this.eventId, page }));
  }

  /** Replaces the file and its changes in one transaction. The device keeps one event, the one that it works at. */
  async #saveSnapshot(manifest: DoorManifest): Promise<void> {
    const file = new Blob([manifest.toText()]);
    const tx = this.#db.transaction(['snapshots', 'changes'], 'readwrite');
    const snapshots = tx.objectStore('snapshots');
    const work = [tx.objectStore('changes').clear(), snapshots.clear(), snapshots.put({ eventId: this.eventId, file }), tx.done];
    this.#unsaved = 0;
    await this.#ignoreFull(Promise.all(work));
  }

  /**
   * Without space the manifest stays in memory: only the log of scans must be on the disk. The next change then writes the whole manifest,
   * because the changes on the disk have a gap.
   */
  async #ignoreFull(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      if (!(error instanceof DOMException)) throw error;
      this.#unsaved = Number.POSITIVE_INFINITY;
    });
  }
}
