import type Stripe from 'stripe';
import type { Journal } from './journal.ts';

/** An event as it is stored and sent. The type of the package is a union of all events, which is too narrow for a constructor. */
export interface StoredEvent {
  id: string;
  object: 'event';
  account?: string;
  api_version: string;
  created: number;
  data: { object: unknown; previous_attributes?: Record<string, unknown> };
  livemode: false;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  type: string;
}

export type MethodType = 'boleto' | 'card' | 'pix';

/** What happens when a payment method is charged or refunded. The test payment methods of Stripe select it by their name. */
export interface Behaviour {
  declineCode?: string;
  authentication?: 'required';
  refund?: 'pending';
}

/** The response to the first request with an idempotency key. The id consists of the account and the key. */
export interface SavedResponse {
  id: string;
  created: number;
  method: string;
  path: string;
  parameters: string;
  status: number;
  body: unknown;
  requestId: string;
}

interface ChargeFacts {
  idempotencyKey: string | null;
  applicationFeeRefunded: number;
  transferReversed: number;
}

/** `object` is what the API returns. `facts` are what the stand-in has to remember besides. */
interface Kinds {
  account: { object: Stripe.Account; facts: null };
  balance_transaction: { object: Stripe.BalanceTransaction; facts: null };
  charge: { object: Stripe.Charge; facts: ChargeFacts };
  dispute: { object: Stripe.Dispute; facts: null };
  event: { object: StoredEvent; facts: { held: boolean } };
  payment_intent: { object: Stripe.PaymentIntent; facts: { idempotencyKey: string | null } };
  payment_method: { object: Stripe.PaymentMethod; facts: Behaviour };
  refund: { object: Stripe.Refund; facts: { feeRefunded: number; reversed: number } };
  response: { object: SavedResponse; facts: null };
}

export type Kind = keyof Kinds;
export type ObjectOf<K extends Kind> = Kinds[K]['object'];

export interface Entry<K extends Kind> {
  object: ObjectOf<K>;
  facts: Kinds[K]['facts'];
  /** The connected account that the object belongs to. The objects of the platform have null. */
  owner: string | null;
}

/** The value undefined removes a field from the responses. */
type Changes<T> = { [F in keyof T]?: T[F] | undefined };

interface Write {
  kind: Kind;
  entry: Entry<Kind>;
}

/** All objects, in memory and optionally in a journal. Objects are replaced, never modified, so an event can keep the object as it was. */
export class Store {
  readonly #entries = new Map<Kind, Map<string, Entry<Kind>>>();
  readonly #journal: Journal | undefined;
  #writes: Write[] = [];

  constructor(journal?: Journal) {
    this.#journal = journal;
    for (const writes of (journal?.lines ?? []) as Write[][]) for (const write of writes) this.#set(write);
  }

  add<K extends Kind>(kind: K, entry: Entry<K>): ObjectOf<K> {
    this.#write({ kind, entry });
    return entry.object;
  }

  change<K extends Kind>(kind: K, id: string, object: Changes<ObjectOf<K>>, facts: Partial<Kinds[K]['facts']> = {}): ObjectOf<K> {
    const old = this.find(kind, id);
    if (!old) throw new Error(`There is no ${kind} ${id}.`);
    const entry = { ...old, object: { ...old.object, ...object }, facts: old.facts && { ...old.facts, ...facts } } as Entry<K>;
    return this.add(kind, entry);
  }

  find<K extends Kind>(kind: K, id: string): Entry<K> | undefined {
    return this.#entries.get(kind)?.get(id) as Entry<K> | undefined;
  }

  /** Returns the entries in the order in which they were added. */
  all<K extends Kind>(kind: K): Entry<K>[] {
    return [...(this.#entries.get(kind)?.values() ?? [])] as Entry<K>[];
  }

  /** Appends the writes since the last call to the journal as one line, so that after a kill all of them exist or none. */
  flush(): void {
    const writes = this.#writes.splice(0);
    if (writes.length > 0) this.#journal?.append(writes);
  }

  close(): void {
    this.flush();
    this.#journal?.close();
  }

  #write(write: Write): void {
    this.#set(write);
    if (this.#journal) this.#writes.push(write);
  }

  #set({ kind, entry }: Write): void {
    const entries = this.#entries.get(kind) ?? new Map<string, Entry<Kind>>();
    this.#entries.set(kind, entries.set(entry.object.id, entry));
  }
}

/** The API returns references as ids or as expanded objects. The store contains only ids. */
export const idOf = (reference: string | { id: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);
