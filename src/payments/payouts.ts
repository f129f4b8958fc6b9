import { changePayout } from '../accounts/change-payout.ts';
import type { Payout, Producer } from '../accounts/producer-contract.ts';
import type { Act } from '../kernel/act.ts';
import { ruleViolation } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { Providers } from './providers/open-providers.ts';

/** Sets the producer's own account at a provider of this shop. */
export async function setPayout(tx: Tx, act: Act, { byName }: Providers, producerId: number, payout: Payout): Promise<Producer> {
  const provider = byName.get(payout.provider);
  if (!provider) {
    const able = [...byName.values()].filter(({ payoutAccount }) => payoutAccount !== null).map(({ name }) => name);
    const advice = able.length > 0 ? `Use one of: ${able.join(', ')}.` : 'Add the provider to PAYMENTS first.';
    throw ruleViolation('provider', 'unavailable', `This shop has no payment provider ${payout.provider}. ${advice}`);
  }
  if (!provider.payoutAccount) {
    const message = `${payout.provider} cannot pay to the own account of a producer. Without an account, the platform receives the money.`;
    throw ruleViolation('provider', 'no_payouts', message);
  }
  if (!provider.payoutAccount.test(payout.account)) {
    throw ruleViolation(
      'account',
      'form',
      `${payout.account} is not an account of ${payout.provider}. Copy the id of the account from there.`,
    );
  }
  return changePayout(tx, act, producerId, payout);
}

/** The platform receives the money of payments that begin from now on. */
export async function deletePayout(tx: Tx, act: Act, producerId: number): Promise<void> {
  await changePayout(tx, act, producerId, null);
}
