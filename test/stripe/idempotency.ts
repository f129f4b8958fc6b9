import { keyInUse, keyReused } from './errors.ts';
import type { Form, FormValue } from './form.ts';
import type { State } from './state.ts';
import type { SavedResponse } from './store.ts';

/** Stripe may remove keys that are at least 24 hours old. Then the same key executes the request again. */
const retention = 24 * 3600;

export interface KeyedRequest {
  key: string;
  account: string | null;
  method: string;
  path: string;
  form: Form;
}

/** The idempotency keys of all accounts. The platform and each connected account have separate keys. */
export class IdempotencyKeys {
  readonly #inProgress = new Set<string>();
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** Returns the stored response. Throws if the key is in use, or if it was used for another request. */
  find(request: KeyedRequest): SavedResponse | undefined {
    const id = scopedKey(request);
    const saved = this.#state.store.find('response', id)?.object;
    if (saved && saved.created > this.#state.now() - retention) {
      if (saved.method !== request.method || saved.path !== request.path)
        throw keyReused(request.key, { now: request.path, first: saved.path });
      if (saved.parameters !== canonical(request.form)) throw keyReused(request.key);
      return saved;
    }
    if (this.#inProgress.has(id)) throw keyInUse(request.key);
    return undefined;
  }

  begin(request: KeyedRequest): void {
    this.#inProgress.add(scopedKey(request));
  }

  end(request: KeyedRequest): void {
    this.#inProgress.delete(scopedKey(request));
  }

  save(request: KeyedRequest, response: { status: number; body: unknown; requestId: string }): void {
    const { account, method, path, form } = request;
    const object = { ...response, id: scopedKey(request), created: this.#state.now(), method, path, parameters: canonical(form) };
    this.#state.store.add('response', { object, facts: null, owner: account });
  }
}

const scopedKey = ({ account, key }: KeyedRequest): string => `${account ?? 'platform'} ${key}`;

/** The order of the parameters does not matter. */
const canonical = (form: Form): string => JSON.stringify(sorted(form));

const sorted = (value: FormValue): unknown =>
  typeof value === 'string'
    ? value
    : Object.entries(value)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, inner]) => [name, sorted(inner)]);
