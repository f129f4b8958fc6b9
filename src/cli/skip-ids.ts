import { systemAct } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { skipIds } from '../postgres/skip-ids.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { withDatabase } from './open-database.ts';

const defaultGap = 1_000_000;
const largestGap = 1_000_000_000;

export const skipIdsCommand: Command = {
  summary: 'after a restore that lost the last changes: continue all ids after a gap',
  usage: `tessera skip-ids [--by COUNT]

Run it before the service starts on a restored database, if orders were lost because the backup is older than the last order. New orders and
tickets would get the ids of the lost ones, and a lost ticket would then admit in place of a new one. This command moves all ids forward
by COUNT (default: ${defaultGap}), so that the ids of lost orders and tickets are never used again.`,
  async run(args, context) {
    const { values } = readArguments(args, 0, { by: { type: 'string' } });
    const by = Number(values.by ?? defaultGap);
    if (!Number.isInteger(by) || by < 1 || by > largestGap) throw new UsageError(`--by must be a number from 1 to ${largestGap}.`);
    const skip = async (tx: Tx, at: Date) => {
      const sequences = await skipIds(tx, by);
      await record(tx, systemAct('skipIds', at), { subject: 'database', id: 'ids', after: { by, sequences } });
      return sequences;
    };
    const sequences = await withDatabase(context, ({ db, clock }) => inTransaction(db, {}, (tx) => skip(tx, clock())));
    context.print(`Moved ${sequences} sequences forward by ${by}. Start the service now.`);
  },
};
