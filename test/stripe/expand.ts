import { invalidRequest } from './errors.ts';
import { pageOf } from './lists.ts';
import type { State } from './state.ts';
import type { Kind } from './store.ts';

/** The fields that can be expanded, by the type of the object that has them. */
const expandableFields: Record<string, string[]> = {
  balance_transaction: ['source'],
  charge: ['balance_transaction', 'failure_balance_transaction', 'on_behalf_of', 'payment_intent', 'refunds', 'transfer_data.destination'],
  dispute: ['charge', 'payment_intent'],
  payment_intent: ['latest_charge', 'on_behalf_of', 'payment_method', 'transfer_data.destination'],
  refund: ['balance_transaction', 'charge', 'failure_balance_transaction', 'payment_intent'],
};

const kindOfId: Record<string, Kind> = {
  acct: 'account',
  ch: 'charge',
  dp: 'dispute',
  pi: 'payment_intent',
  pm: 'payment_method',
  py: 'charge',
  re: 'refund',
  txn: 'balance_transaction',
};

type JsonObject = Record<string, unknown>;

/** Replaces the ids at these paths by their objects. A path has at most four levels, as at Stripe. */
export function expand(state: State, object: unknown, paths: readonly string[]): unknown {
  let expanded = object;
  for (const [i, path] of paths.entries()) {
    const parts = path.split('.');
    if (parts.length > 4) {
      throw invalidRequest('You cannot expand more than 4 levels of a property.', { param: `expand[${i}]` });
    }
    expanded = expandPath(state, expanded, parts, path, i);
  }
  return expanded;
}

function expandPath(state: State, value: unknown, parts: string[], path: string, index: number): unknown {
  if (parts.length === 0 || value === null) return value;
  const object = value as JsonObject;
  if (object.object === 'list') {
    if (parts[0] !== 'data') throw notExpandable(path, index);
    const data = object.data as unknown[];
    return { ...object, data: data.map((item) => expandPath(state, item, parts.slice(1), path, index)) };
  }
  const fields = expandableFields[String(object.object)] ?? [];
  const field = fields.find((name) => parts.join('.') === name || parts.join('.').startsWith(`${name}.`));
  if (!field) throw notExpandable(path, index);
  const rest = parts.slice(field.split('.').length);
  return withField(object, field.split('.'), (inner) => expandPath(state, resolve(state, object, field, inner), rest, path, index));
}

function withField(object: JsonObject, [name = '', ...rest]: string[], change: (value: unknown) => unknown): JsonObject {
  const inner = object[name];
  if (rest.length === 0) return { ...object, [name]: change(inner ?? null) };
  return inner ? { ...object, [name]: withField(inner as JsonObject, rest, change) } : object;
}

function resolve(state: State, object: JsonObject, field: string, value: unknown): unknown {
  if (field === 'refunds') return refundsOf(state, String(object.id));
  if (typeof value !== 'string') return value;
  const kind = kindOfId[value.split('_')[0] ?? ''];
  return kind ? (state.store.find(kind, value)?.object ?? value) : value;
}

function refundsOf(state: State, charge: string): unknown {
  const refunds = state.store.all('refund').map(({ object }) => object);
  return pageOf(
    refunds.filter((refund) => refund.charge === charge),
    {},
    `/v1/charges/${charge}/refunds`,
    'refund',
  );
}

const notExpandable = (path: string, index: number) =>
  invalidRequest(`This property cannot be expanded (${path}).`, { param: `expand[${index}]` });
