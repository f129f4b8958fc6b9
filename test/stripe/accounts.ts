import type Stripe from 'stripe';
import { invalidRequest, noSuchObject } from './errors.ts';
import objects from './objects.json' with { type: 'json' };
import type { State } from './state.ts';

export const platformAccount = 'acct_platform';

/** Adds an account, or changes it. By default the account can charge and receive transfers. */
export function putAccount(state: State, id: string, changes: Partial<Stripe.Account> = {}): Stripe.Account {
  if (state.store.find('account', id)) return state.store.change('account', id, changes);
  const object = {
    ...objects.account,
    id,
    charges_enabled: true,
    country: 'BR',
    created: state.now(),
    default_currency: 'brl',
    details_submitted: true,
    email: `${id}@example.com`,
    external_accounts: { ...objects.account.external_accounts, url: `/v1/accounts/${id}/external_accounts` },
    payouts_enabled: true,
    requirements: noRequirements,
    future_requirements: noRequirements,
    ...changes,
  } as unknown as Stripe.Account;
  return state.store.add('account', { object, facts: null, owner: null });
}

export const findAccount = (state: State, id: string): Stripe.Account | undefined => state.store.find('account', id)?.object;

export function checkDestination(state: State, id: string): void {
  const param = 'transfer_data[destination]';
  const account = findAccount(state, id);
  if (!account || id === platformAccount) throw noSuchObject('destination', id, param, 400);
  if (account.capabilities?.transfers === 'active') return;
  throw invalidRequest(
    'Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments',
    { code: 'insufficient_capabilities_for_transfer', param },
  );
}

const noRequirements = {
  alternatives: [],
  current_deadline: null,
  currently_due: [],
  disabled_reason: null,
  errors: [],
  eventually_due: [],
  past_due: [],
  pending_verification: [],
};
