import { setTimeout as sleep } from 'node:timers/promises';
import { Dice, testSeed } from '../random.ts';
import type { RemoteStandIn } from '../stripe/remote.ts';
import type { StoredEvent } from '../stripe/store.ts';

const everyMs = 200;
const shares = { lost: 0.05, delivered: 0.7, duplicated: 0.4, settled: 0.5 };

/**
 * Delivers the notices of the provider: late, in any order, and some of them twice. Some are lost, and only reconciliation finds them. It also
 * settles refunds at the banks of the buyers.
 */
export class Postman {
  readonly counts = { delivered: 0, lost: 0 };
  readonly #standIn: RemoteStandIn;
  readonly #dice = new Dice(testSeed, 2_000_000);
  readonly #isLost = new Map<string, boolean>();
  #isOpen = true;
  #isPaused = false;
  #round: Promise<void> = Promise.resolve();
  #running: Promise<void> | undefined;

  constructor(standIn: RemoteStandIn) {
    this.#standIn = standIn;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when no delivery is under way. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#round;
  }

  resume(): void {
    this.#isPaused = false;
  }

  async stop(): Promise<void> {
    this.#isOpen = false;
    await this.#running;
  }

  /** The notices that are not lost and were not delivered. */
  async waiting(): Promise<StoredEvent[]> {
    return (await this.#standIn.heldEvents()).filter(({ id }) => !this.#decideLost(id));
  }

  /** Delivers these notices at the same time, each `copies` times. */
  async deliver(ids: string[], copies: number): Promise<void> {
    this.counts.delivered += ids.length * copies;
    await this.#standIn.deliver({ ids, copies, order: 'shuffled', concurrent: true, maxAttempts: 1 });
  }

  async settleRefunds(share = 1): Promise<void> {
    for (const { id, status } of await this.#standIn.refunds()) {
      if (status === 'pending' && this.#dice.chance(share)) await this.#standIn.settleRefund(id);
    }
  }

  async #run(): Promise<void> {
    while (this.#isOpen) {
      if (!this.#isPaused) this.#round = this.#deliver();
      await this.#round;
      await sleep(everyMs);
    }
  }

  async #deliver(): Promise<void> {
    await this.settleRefunds(shares.settled);
    const ids = (await this.waiting()).map(({ id }) => id).filter(() => this.#dice.chance(shares.delivered));
    if (ids.length > 0) await this.deliver(ids, this.#dice.chance(shares.duplicated) ? 2 : 1);
  }

  #decideLost(id: string): boolean {
    const known = this.#isLost.get(id);
    if (known !== undefined) return known;
    const isLost = this.#dice.chance(shares.lost);
    this.#isLost.set(id, isLost);
    if (isLost) this.counts.lost++;
    return isLost;
  }
}
