import { DoorApi, type DoorInfo, type Reply } from './api.ts';
import { CheckIns } from './check-ins.ts';
import { ServerClock } from './clock.ts';
import type { DoorDatabase } from './database.ts';
import { type DoorState, initialState } from './door-state.ts';
import { ManifestStore } from './manifest-store.ts';
import { readPairing } from './pairing.ts';
import { ScanLog } from './scan-log.ts';
import { type QueueStop, SendQueue } from './send-queue.ts';
import { type Choice, type Credentials, Settings } from './settings.ts';
import { Store } from './store.ts';

const infoMs = 60_000;

interface Opened {
  db: DoorDatabase;
  settings: Settings;
  device: string;
  clockOffset: number;
}

/** The app without its screens: who uses it, where it works, and what it keeps up to date. */
export class Door {
  readonly state = new Store<DoorState>(initialState);
  readonly clock: ServerClock;
  readonly api: DoorApi;
  readonly checkIns: CheckIns;
  readonly log: ScanLog;
  readonly #settings: Settings;
  readonly #db: DoorDatabase;
  readonly #queue: SendQueue;
  #store: ManifestStore | null = null;
  #isUpdating = false;
  #infoAt = 0;

  private constructor({ db, settings, device, clockOffset }: Opened) {
    this.#db = db;
    this.#settings = settings;
    this.clock = new ServerClock(clockOffset);
    this.api = new DoorApi(settings, this.clock);
    this.log = new ScanLog(db);
    this.#queue = new SendQueue(this.log, this.api, (rows) => this.checkIns.review(rows));
    this.checkIns = new CheckIns({
      device,
      log: this.log,
      queue: this.#queue,
      clock: this.clock,
      state: this.state,
      manifest: () => this.#store?.manifest ?? null,
      flush: () => this.flush(),
    });
  }

  static async open(db: DoorDatabase): Promise<Door> {
    const settings = new Settings(db);
    const [device, clockOffset = 0] = await Promise.all([settings.deviceName(), settings.get('clockOffset')]);
    return new Door({ db, settings, device, clockOffset });
  }

  /** Continues where the app was closed. `address` may contain a pairing, if a QR code has opened the app. */
  async start(address: string): Promise<void> {
    await this.log.prune(this.clock.now());
    await this.checkIns.load();
    const [credentials, choice, info, silent = false] = await Promise.all([
      this.#settings.get('credentials'),
      this.#settings.get('choice'),
      this.#settings.get('info'),
      this.#settings.get('silent'),
    ]);
    this.state.set({ silent, waiting: await this.log.waitingCount() });
    if (choice && info) this.state.set({ choice, info });
    if (readPairing(address) && (await this.pair(address)) === null) return;
    if (!credentials) return this.state.set({ stage: 'signIn' });
    this.#use(credentials);
    await this.#resume(credentials);
  }

  #use(credentials: Credentials): void {
    this.api.credentials = credentials;
    this.state.set({ isDevice: credentials.kind === 'device', userName: credentials.kind === 'user' ? credentials.name : null });
  }

  /** Goes to the scans, or to the choice of an event. */
  async #resume(credentials: Credentials): Promise<void> {
    this.state.set({ trouble: null });
    const { choice, info } = this.state.value;
    if (choice && info) return this.#work(choice, info);
    if (credentials.kind === 'device') await this.pickEvent(credentials.eventId);
    this.state.set({ stage: 'choose' });
  }

  async signIn(email: string, password: string): Promise<Reply<unknown>> {
    const reply = await this.api.logIn(email, password);
    if (reply.kind === 'ok' && this.api.credentials) {
      this.#use(this.api.credentials);
      await this.#resume(this.api.credentials);
    }
    return reply;
  }

  /** Uses the token of a paired device. Returns null, or why it does not work. */
  async pair(text: string): Promise<'invalid' | 'offline' | null> {
    const pairing = readPairing(text);
    if (!pairing) return 'invalid';
    const before = this.api.credentials;
    const credentials: Credentials = { kind: 'device', ...pairing };
    this.api.credentials = credentials;
    const reply = await this.api.info(pairing.eventId);
    if (reply.kind !== 'ok') {
      this.api.credentials = before;
      return reply.kind === 'offline' || reply.kind === 'busy' ? 'offline' : 'invalid';
    }
    await this.#settings.set('credentials', credentials);
    this.#use(credentials);
    const { choice } = this.state.value;
    this.state.set({ info: reply.body, trouble: null });
    if (choice?.eventId === pairing.eventId) await this.pick(choice);
    else this.state.set({ stage: 'choose', choice: null });
    return null;
  }

  async pickEvent(eventId: number): Promise<Reply<DoorInfo>> {
    const reply = await this.api.info(eventId);
    if (reply.kind === 'ok') this.state.set({ info: reply.body });
    return reply;
  }

  async pick(choice: Choice): Promise<void> {
    const { info } = this.state.value;
    if (!info) return;
    await Promise.all([this.#settings.set('choice', choice), this.#settings.set('info', info)]);
    await this.#work(choice, info);
  }

  /** Goes back to the choice of event, session and gate. */
  changeChoice(): void {
    const { isDevice, info } = this.state.value;
    this.state.set({ stage: 'choose', info: isDevice ? info : null });
  }

  /** Forgets who uses the device. The log stays. It is sent after the next sign-in. */
  async signOut(): Promise<void> {
    await Promise.all([this.#settings.delete('credentials'), this.#settings.delete('choice')]);
    this.api.credentials = null;
    this.#store = null;
    const { silent, attention, waiting } = this.state.value;
    this.state.set({ ...initialState, stage: 'signIn', silent, attention, waiting });
  }

  async setSilent(silent: boolean): Promise<void> {
    this.state.set({ silent });
    await this.#settings.set('silent', silent);
  }

  async #work(choice: Choice, info: DoorInfo): Promise<void> {
    this.state.set({ choice, info });
    if (this.#store?.eventId !== choice.eventId) {
      const store = new ManifestStore(this.#db, this.api, choice.eventId);
      await store.load();
      this.#store = store;
    }
    this.state.set({ counters: null });
    this.#showManifest();
    this.state.set({ stage: 'scan' });
    void this.update();
  }

  #showManifest(): void {
    const manifest = this.#store?.manifest;
    const { choice } = this.state.value;
    this.state.set({
      manifestAt: manifest ? Date.parse(manifest.facts.generatedAt) : null,
      counts: manifest && choice ? manifest.count(choice.sessionId) : null,
      downloading: null,
    });
  }

  /** Sends what waits, then gets what has changed. Called every few seconds, and when the network is back. */
  async update(): Promise<void> {
    const store = this.#store;
    if (this.#isUpdating || !store || this.state.value.stage !== 'scan') return;
    this.#isUpdating = true;
    try {
      if (await this.flush()) return;
      const reply = await store.update((downloading) => this.state.set({ downloading }));
      this.#note(reply);
      if (reply.kind !== 'ok') return;
      if (reply.body || this.state.value.counts === null) this.#showManifest();
      else this.state.set({ manifestAt: Date.parse(store.manifest?.facts.generatedAt ?? '') });
      await this.#settings.set('clockOffset', this.clock.offset);
      await this.#readCounters();
      await this.#refreshInfo();
    } finally {
      this.#isUpdating = false;
    }
  }

  /** The rules and gates of the event may change while the app is open. */
  async #refreshInfo(): Promise<void> {
    const { choice } = this.state.value;
    if (!choice || this.clock.now() - this.#infoAt < infoMs) return;
    this.#infoAt = this.clock.now();
    const reply = await this.pickEvent(choice.eventId);
    if (reply.kind === 'ok') await this.#settings.set('info', reply.body);
  }

  async #readCounters(): Promise<void> {
    const { choice } = this.state.value;
    if (!choice) return;
    const reply = await this.api.counters(choice.eventId, choice.sessionId);
    if (reply.kind === 'ok') this.state.set({ counters: reply.body });
  }

  /** Sends the log of the chosen event: the token may be valid only there. Returns what stopped it, or null if everything was sent. */
  async flush(): Promise<QueueStop | null> {
    const { choice } = this.state.value;
    const waiting = await this.log.waitingCount(choice?.eventId);
    await this.#countWaiting();
    const stop = choice && (await this.#queue.flush(choice.eventId));
    // An empty queue sends nothing, so it says nothing about the network.
    if (stop || waiting > 0) this.#note(stop ?? { kind: 'ok', body: null });
    await this.#countWaiting();
    return stop;
  }

  async #countWaiting(): Promise<void> {
    this.state.set({ waiting: await this.log.waitingCount() });
  }

  /** Remembers what a reply says about the network and the token. */
  #note(reply: Reply<unknown>): void {
    const { offlineSince, trouble, isDevice } = this.state.value;
    const isOver = reply.kind === 'signedOut' || (reply.kind === 'refused' && (reply.status === 403 || reply.status === 404));
    if (isOver) this.state.set({ trouble: isDevice ? 'revoked' : 'signedOut' });
    else if (reply.kind === 'ok' && trouble !== 'storageFull') this.state.set({ trouble: null });
    if (reply.kind === 'offline') this.state.set({ offlineSince: offlineSince ?? this.clock.now() });
    else this.state.set({ offlineSince: null });
  }
}
