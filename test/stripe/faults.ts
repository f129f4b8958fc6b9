import { Dice } from '../random.ts';

/** The kinds of faults, by the stage of a request at which they happen. */
const stages = {
  /** The request has no effect, and its idempotency key stays unused. */
  arrival: ['cut_before_effect', 'lock_timeout', 'rate_limit'],
  /** The request is executed. Its response is stored with the idempotency key. Requests that repeat a key do not reach this stage. */
  execution: ['api_error', 'api_error_after_effect', 'card_declined', 'hold_before_effect'],
  /** The effect has happened, and the response is stored. Repeated requests also reach this stage. */
  response: ['cut_after_effect', 'cut_body', 'hold_after_effect'],
} as const;

type Stage = keyof typeof stages;
type FaultKind = (typeof stages)[Stage][number];

export interface Fault {
  kind: FaultKind;
  method?: 'GET' | 'POST';
  /** A path with `*` for any one segment, as in `/v1/charges/*`. By default all paths match. */
  path?: string;
  /** The number of requests that the fault hits. The default is 1, or no limit if there is a fraction. */
  times?: number;
  /** The share of the matching requests that the fault hits. The seed decides which. */
  fraction?: number;
  /** For `card_declined`: the default is `generic_decline`. The fault hits only requests that confirm with a card. */
  declineCode?: string;
}

export interface FaultStatus {
  /** The number of requests that the fault has hit. */
  used: number;
  /** The number of requests that a hold keeps waiting. */
  waiting: number;
}

class ActiveFault {
  readonly id: number;
  readonly fault: Fault;
  used = 0;
  waiting: (() => void)[] = [];
  readonly #dice: Dice;

  constructor(id: number, fault: Fault, seed: number) {
    this.id = id;
    this.fault = fault;
    this.#dice = new Dice(seed, id);
  }

  hits(method: string, path: string): boolean {
    const { method: wanted, path: pattern, fraction, times = fraction === undefined ? 1 : Infinity } = this.fault;
    if (this.used >= times || (wanted && wanted !== method) || (pattern && !matchesPath(pattern, path))) return false;
    return fraction === undefined || this.#dice.chance(fraction);
  }

  hold(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  release(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

export class Faults {
  #active: ActiveFault[] = [];
  #added = 0;
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  add(fault: Fault): number {
    const active = new ActiveFault(++this.#added, fault, this.#seed);
    this.#active.push(active);
    return active.id;
  }

  /** Returns the first fault of this stage that hits the request. */
  take(stage: Stage, method: string, path: string): ActiveFault | undefined {
    const kinds: readonly FaultKind[] = stages[stage];
    const hit = this.#active.find((active) => kinds.includes(active.fault.kind) && active.hits(method, path));
    if (hit) hit.used++;
    return hit;
  }

  status(id: number): FaultStatus {
    const { used, waiting } = this.#find(id);
    return { used, waiting: waiting.length };
  }

  /** Lets the waiting requests of a hold continue. */
  release(id: number): void {
    this.#find(id).release();
  }

  clear(): void {
    for (const active of this.#active.splice(0)) active.release();
  }

  #find(id: number): ActiveFault {
    const found = this.#active.find((active) => active.id === id);
    if (!found) throw new Error(`There is no fault ${id}.`);
    return found;
  }
}

const matchesPath = (pattern: string, path: string): boolean => {
  const segments = path.split('/');
  const wanted = pattern.split('/');
  return wanted.length === segments.length && wanted.every((segment, i) => segment === '*' || segment === segments[i]);
};
