import { findAccount, platformAccount } from './accounts.ts';
import { invalidRequest, noAccessToAccount, noSuchObject } from './errors.ts';
import { checkExpand, expand, type Shape } from './expand.ts';
import type { Form } from './form.ts';
import { readCancelParameters, readConfirmParameters, readCreateParameters } from './intent-parameters.ts';
import { pageOf } from './lists.ts';
import { expandable, type Fields, flag, list, listing, readParameters, text, type Values } from './parameters.ts';
import { cancelIntent, confirmIntent, createIntent } from './payment-intents.ts';
import { createRefund, readRefundParameters } from './refunds.ts';
import type { Caller, State } from './state.ts';
import type { Kind, ObjectOf } from './store.ts';

/** Checks the parameters and returns the function that executes the request. A failed check has no effect and is not stored. */
type Prepare = (form: Form, id: string) => Execute;
export type Execute = (state: State, caller: Caller) => unknown;

interface Route {
  method: 'GET' | 'POST';
  pattern: RegExp;
  prepare: Prepare;
}

function route<P extends { expand?: string[] }>(
  method: Route['method'],
  path: string,
  shape: Shape,
  read: (form: Form) => P,
  run: (state: State, parameters: P, caller: Caller, id: string) => unknown,
): Route {
  return {
    method,
    pattern: new RegExp(`^${path.replace('{id}', '([^/]+)')}$`),
    prepare: (form, id) => {
      const parameters = read(form);
      const paths = parameters.expand ?? [];
      checkExpand(shape, paths);
      return (state, caller) => expand(state, shape, run(state, parameters, caller, id), paths);
    },
  };
}

const readExpand = (form: Form) => readParameters(expandable, form);

const retrieve = (kind: Kind, path: string, param = 'id'): Route =>
  route('GET', `${path}/{id}`, { kind }, readExpand, (state, _parameters, caller, id) => {
    const entry = state.store.find(kind, id);
    if (entry?.owner !== caller.account) throw noSuchObject(kind, id, param);
    return entry.object;
  });

/** Adds a list. `fields` are the filters besides the common parameters. `matches` decides whether an object passes them. */
function listRoute<K extends Kind, F extends Fields>(
  kind: K,
  path: string,
  fields: F,
  matches: (object: ObjectOf<K>, filters: Values<F>, state: State) => boolean,
): Route {
  const read = (form: Form) => readParameters({ ...listing, ...fields }, form) as Values<typeof listing> & Values<F>;
  return route('GET', path, { kind, list: true }, read, (state, parameters, caller) => {
    const own = state.store.all(kind).filter(({ owner }) => owner === caller.account);
    const found = own.map(({ object }) => object).filter((object) => matches(object, parameters, state));
    return pageOf(found as { id: string; created?: number }[], parameters, path, kind);
  });
}

const equalOrAny = (filter: string | undefined, value: unknown): boolean => filter === undefined || filter === value;

/** Stripe returns events of the last 30 days. */
const eventRetention = 30 * 24 * 3600;

/** A type may end with a wildcard: `charge.*`. */
const matchesType = (type: string, pattern: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)));

const routes: Route[] = [
  route('POST', '/v1/payment_intents', { kind: 'payment_intent' }, readCreateParameters, createIntent),
  route('POST', '/v1/payment_intents/{id}/confirm', { kind: 'payment_intent' }, readConfirmParameters, (state, parameters, caller, id) =>
    confirmIntent(state, id, parameters, caller),
  ),
  route(
    'POST',
    '/v1/payment_intents/{id}/cancel',
    { kind: 'payment_intent' },
    readCancelParameters,
    (state, { cancellation_reason: reason }, caller, id) => cancelIntent(state, id, reason ?? null, caller),
  ),
  retrieve('payment_intent', '/v1/payment_intents', 'intent'),
  listRoute('payment_intent', '/v1/payment_intents', {}, () => true),
  retrieve('charge', '/v1/charges'),
  listRoute('charge', '/v1/charges', { payment_intent: text(), transfer_group: text() }, (charge, filters) => {
    const { payment_intent: intent, transfer_group: group } = filters;
    return equalOrAny(intent, charge.payment_intent) && equalOrAny(group, charge.transfer_group);
  }),
  route('POST', '/v1/refunds', { kind: 'refund' }, readRefundParameters, createRefund),
  retrieve('refund', '/v1/refunds'),
  listRoute(
    'refund',
    '/v1/refunds',
    { charge: text(), payment_intent: text() },
    (refund, { charge, payment_intent: intent }) => equalOrAny(charge, refund.charge) && equalOrAny(intent, refund.payment_intent),
  ),
  retrieve('balance_transaction', '/v1/balance_transactions'),
  listRoute(
    'balance_transaction',
    '/v1/balance_transactions',
    { source: text(), type: text(), currency: text() },
    (transaction, filters) =>
      equalOrAny(filters.source, transaction.source) &&
      equalOrAny(filters.type, transaction.type) &&
      equalOrAny(filters.currency, transaction.currency),
  ),
  retrieve('dispute', '/v1/disputes'),
  listRoute(
    'dispute',
    '/v1/disputes',
    { charge: text(), payment_intent: text() },
    (dispute, { charge, payment_intent: intent }) => equalOrAny(charge, dispute.charge) && equalOrAny(intent, dispute.payment_intent),
  ),
  route('GET', '/v1/events/{id}', { kind: 'event' }, readExpand, (state, _parameters, caller, id) => {
    const entry = state.store.find('event', id);
    if (entry?.owner !== caller.account || isExpired(state, entry.object.created)) throw noSuchObject('event', id, 'id');
    return entry.object;
  }),
  listRoute('event', '/v1/events', { delivery_success: flag, type: text(), types: list(text()) }, (event, filters, state) => {
    const { delivery_success: delivered, type, types = type ? [type] : ['*'] } = filters;
    const matches = types.some((pattern) => matchesType(event.type, pattern));
    return matches && !isExpired(state, event.created) && (delivered ?? event.pending_webhooks === 0) === (event.pending_webhooks === 0);
  }),
  route('GET', '/v1/account', { kind: 'account' }, readExpand, (state, _parameters, caller) =>
    findAccount(state, caller.account ?? platformAccount),
  ),
  route('GET', '/v1/accounts/{id}', { kind: 'account' }, readExpand, (state, _parameters, _caller, id) => {
    const account = findAccount(state, id);
    if (!account) throw noAccessToAccount(state.secretKey, id);
    return account;
  }),
];

const isExpired = (state: State, created: number): boolean => created < state.now() - eventRetention;

/** Finds the operation of a request and checks its parameters. */
export function prepare(method: string, path: string, form: Form): Execute {
  for (const { pattern, prepare, ...route } of routes) {
    const match = pattern.exec(path);
    if (match && route.method === method) return prepare(form, decodeURIComponent(match[1] ?? ''));
  }
  throw invalidRequest(
    `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
    {},
    404,
  );
}
