import { systemAct } from '../kernel/act.ts';
import { applyNotices } from '../payments/apply-notices.ts';
import { openProviders } from '../payments/providers/open-providers.ts';
import { reconcilePayments } from '../payments/reconcile-payments.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { withDatabase } from './open-database.ts';

export const reconcile: Command = {
  summary: 'compare payments with the provider, and apply missed notices',
  usage:
    'tessera reconcile [--days DAYS]\n\nReads the lists of the payment providers over the last DAYS (7), prints every change whose notice never arrived, and applies it. The worker does the same every 10 minutes for the last 2 hours, and every day for the last 7 days.',
  async run(args, context) {
    const { config, print } = context;
    const days = Number(readArguments(args, 0, { days: { type: 'string' } }).values.days ?? 7);
    if (!Number.isInteger(days) || days < 1 || days > 30) throw new UsageError('DAYS must be a whole number from 1 to 30.');
    const missed = await withDatabase(context, async ({ db, clock }) => {
      const providers = await openProviders(config, db, clock);
      if (providers.byName.size === 0) return null;
      const at = clock();
      const since = new Date(at.getTime() - days * 24 * 60 * 60_000);
      const found = await reconcilePayments(db, systemAct('reconcilePayments', at), providers, since, new AbortController().signal);
      if (found.length > 0) await applyNotices(db, systemAct('applyNotices', clock()), providers);
      return found;
    });
    if (!missed) return print('No provider in PAYMENTS reports its payments, so there is nothing to compare.');
    for (const { provider, noticeId, type } of missed) print(`${provider}: ${type} (${noticeId})`);
    print(missed.length === 0 ? 'No notice was missed.' : `Applied ${missed.length} missed notices.`);
  },
};
