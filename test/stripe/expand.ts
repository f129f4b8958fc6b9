import { invalidRequest } from './errors.ts';
import { pageOf } from './lists.ts';
import type { State } from './state.ts';
import { idOf, type Kind } from './store.ts';

/** The fields that can be expanded, and what they refer to. */
const references: Partial<Record<Kind, Record<string, Kind>>> = {
  balance_transaction: { source: 'charge' },
  charge: {
    balance_transaction: 'balance_transaction',
    failure_balance_transaction: 'balance_transaction',
    on_behalf_of: 'account',
    payment_intent: 'payment_intent',
    refunds: 'refund',
    'transfer_data.destination': 'account',
  },
  dispute: { charge: 'charge', payment_intent: 'payment_intent' },
  payment_intent: {
    latest_charge: 'charge',
    on_behalf_of: 'account',
    payment_method: 'payment_method',
    'transfer_data.destination': 'account',
  },
  refund: {
    balance_transaction: 'balance_transaction',
    charge: 'charge',
    failure_balance_transaction: 'balance_transaction',
    payment_intent: 'payment_intent',
  },
};

/** What a request returns: one object, or a list of objects. */
export interface Shape {
  kind: Kind;
  list?: true;
}

type JsonObject = Record<string, unknown>;

/** Checks the paths before the request is executed, so that a wrong path has no effect. A path has at most four levels, as at Stripe. */
export function checkExpand({ kind, list }: Shape, paths: readonly string[]): void {
  for (const [i, path] of paths.entries()) {
    const param = `expand[${i}]`;
    if (path.split('.').length > 4) throw invalidRequest('You cannot expand more than 4 levels of a property.', { param });
    const isListed = !list || path.startsWith('data.');
    if (!isListed || !isExpandable(kind, list ? path.slice('data.'.length) : path)) {
      throw invalidRequest(`This property cannot be expanded (${path}).`, { param });
    }
  }
}

function isExpandable(kind: Kind, path: string): boolean {
  const found = fieldOf(kind, path);
  if (!found) return false;
  const { target, isList, rest } = found;
  if (rest === '') return true;
  if (isList) return rest.startsWith('data.') && isExpandable(target, rest.slice('data.'.length));
  return isExpandable(target, rest);
}

/** Splits a path after the first field that can be expanded. */
function fieldOf(kind: Kind, path: string): { field: string; target: Kind; isList: boolean; rest: string } | undefined {
  const fields = Object.entries(references[kind] ?? {});
  const [field, target] = fields.find(([name]) => path === name || path.startsWith(`${name}.`)) ?? [];
  return field && target ? { field, target, isList: field === 'refunds', rest: path.slice(field.length + 1) } : undefined;
}

/** Replaces the ids at these paths by their objects. `checkExpand` has accepted the paths. */
export function expand(state: State, { kind, list }: Shape, result: unknown, paths: readonly string[]): unknown {
  return paths.reduce((object, path) => (list ? expandList(state, kind, object, path) : expandPath(state, kind, object, path)), result);
}

function expandList(state: State, kind: Kind, list: unknown, path: string): unknown {
  const { data, ...rest } = list as { data: unknown[] };
  return { ...rest, data: data.map((item) => expandPath(state, kind, item, path.slice('data.'.length))) };
}

function expandPath(state: State, kind: Kind, value: unknown, path: string): unknown {
  const found = fieldOf(kind, path);
  if (!found || typeof value !== 'object' || value === null) return value;
  const { field, target, isList, rest } = found;
  const object = value as JsonObject;
  return withField(object, field.split('.'), (reference) => {
    if (isList) return rest ? expandList(state, target, refundsOf(state, String(object.id)), rest) : refundsOf(state, String(object.id));
    const resolved = state.store.find(target, idOf(reference as string | null) ?? '')?.object;
    const inner = typeof reference === 'object' ? reference : (resolved ?? reference);
    return rest ? expandPath(state, target, inner, rest) : inner;
  });
}

function withField(object: JsonObject, [name = '', ...rest]: string[], change: (value: unknown) => unknown): JsonObject {
  const inner = object[name];
  if (rest.length === 0) return { ...object, [name]: change(inner ?? null) };
  return inner ? { ...object, [name]: withField(inner as JsonObject, rest, change) } : object;
}

function refundsOf(state: State, charge: string): unknown {
  const refunds = state.store.all('refund').map(({ object }) => object);
  const own = refunds.filter((refund) => refund.charge === charge);
  return pageOf(own, {}, `/v1/charges/${charge}/refunds`, 'refund');
}
