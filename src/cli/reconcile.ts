import { systemAct } from '../kernel/act.ts';
import { applyNotices } from '../payments/apply-notices.ts';
import { reconcilePayments } from '../payments/reconcile-payments.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Command, readArguments } from './command.ts';
import { withDatabase } from './open-database.ts';

export const reconcile: Command = {
  summary: 'compare payments with the provider, and apply missed notices',
  usage: 'tessera reconcile\n\nPrints every payment whose notice never arrived, and applies it. The worker does the same every minute.',
  async run(args, context) {
    const { config, print } = context;
    readArguments(args, 0, {});
    if (!config.payments.has('sandbox')) return print('No provider in PAYMENTS reports its payments, so there is nothing to compare.');
    const missed = await withDatabase(context, async ({ db, clock }) => {
      const found = await inTransaction(db, {}, (tx) => reconcilePayments(tx, systemAct('reconcilePayments', clock())));
      if (found.length > 0) await applyNotices(db, systemAct('applyNotices', clock()));
      return found;
    });
    for (const { order_id, reference, event, amount } of missed) print(`order ${order_id}: payment ${reference} is ${event}, ${amount}`);
    print(missed.length === 0 ? 'No notice was missed.' : `Applied ${missed.length} missed notices.`);
  },
};
