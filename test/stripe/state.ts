import { Dice } from '../random.ts';
import type { Journal } from './journal.ts';
import { type MethodType, Store, type StoredEvent } from './store.ts';

/** The API version that the package `stripe` is pinned to. The stand-in speaks only this version. */
export const apiVersion = '2026-10-28.endive';

export type RefundStatus = 'pending' | 'requires_action' | 'succeeded';

export interface Fee {
  basisPoints: number;
  fixed: number;
}

interface StateOptions {
  secretKey: string;
  seed: number;
  /** Distinguishes several stand-ins with the same seed, so that they create different ids. */
  index: number;
  journal?: Journal;
  fees?: Partial<Record<MethodType, Fee>>;
  /** The clock of the stand-in. By default it is the clock of the machine. */
  clock?: () => Date;
}

/** Who sent the request that causes a change. The buyer's side has no request. */
export interface Caller {
  account: string | null;
  requestId: string | null;
  idempotencyKey: string | null;
  /** A fault of the test: cards are declined with this code. */
  declineCode?: string;
}

const idCharacters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Example fees. Real fees depend on the contract with Stripe. */
const defaultFees: Record<MethodType, Fee> = {
  card: { basisPoints: 399, fixed: 39 },
  pix: { basisPoints: 119, fixed: 0 },
  boleto: { basisPoints: 0, fixed: 345 },
};

/** Everything that the operations of the stand-in share. */
export class State {
  readonly store: Store;
  readonly secretKey: string;
  readonly fees: Record<MethodType, Fee>;
  /** The statuses of the next refunds, in order. When the list is empty, the payment method decides. */
  readonly nextRefundStatuses: RefundStatus[] = [];
  /** Is called for each new event. */
  onEvent: (event: StoredEvent) => void = () => undefined;
  #clockOffset = 0;
  readonly #clock: () => Date;
  readonly #dice: Dice;

  constructor({ secretKey, seed, index, journal, fees, clock = () => new Date() }: StateOptions) {
    this.#clock = clock;
    this.secretKey = secretKey;
    this.store = new Store(journal);
    this.fees = { ...defaultFees, ...fees };
    this.#dice = new Dice(seed, index * 1_000_003 + (journal?.lines.length ?? 0));
  }

  /** The time in seconds, as all timestamps of Stripe. */
  now(): number {
    return Math.floor(this.#clock().getTime() / 1000) + this.#clockOffset;
  }

  advanceClock(seconds: number): void {
    this.#clockOffset += seconds;
  }

  newId(prefix: string): string {
    return `${prefix}_3${this.characters(23)}`;
  }

  characters(length: number): string {
    return Array.from({ length }, () => idCharacters.charAt(this.#dice.below(idCharacters.length))).join('');
  }

  chance(probability: number): boolean {
    return this.#dice.chance(probability);
  }

  shuffled<T>(list: readonly T[]): T[] {
    const rest = [...list];
    return list.flatMap(() => rest.splice(this.#dice.below(rest.length), 1));
  }

  emit(type: string, object: unknown, { account, requestId, idempotencyKey }: Caller, previous?: Record<string, unknown>): void {
    const event: StoredEvent = {
      id: this.newId('evt'),
      object: 'event',
      ...(account && { account }),
      api_version: apiVersion,
      created: this.now(),
      data: { object, ...(previous && { previous_attributes: previous }) },
      livemode: false,
      pending_webhooks: 1,
      request: { id: requestId, idempotency_key: idempotencyKey },
      type,
    };
    this.store.add('event', { object: event, facts: { held: true }, owner: account });
    this.onEvent(event);
  }
}
