import { systemAct } from '../kernel/act.ts';
import { listOpenNotices, retryNotices } from '../payments/notices.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Command, readArguments, type Surroundings, UsageError } from './command.ts';
import { withDatabase } from './open-database.ts';

export const notices: Command = {
  summary: 'list payment notices that could not be applied, and retry them',
  usage: `tessera notices list
tessera notices retry [ID]

The worker retries a notice for 24 hours. Then its status is failed, and it waits here. Notices about unknown payments or events are set_aside.
retry has the worker try again: the notice with this ID, or all that failed.`,
  async run(args, surroundings) {
    const [verb = '', ...rest] = args;
    if (verb === 'list') return list(rest, surroundings);
    if (verb === 'retry') return retry(rest, surroundings);
    throw new UsageError(verb ? `There is no notices ${verb}` : 'Say list or retry');
  },
};

async function list(args: string[], surroundings: Surroundings): Promise<void> {
  const { print } = surroundings;
  readArguments(args, 0, {});
  const found = await withDatabase(surroundings, ({ db }) => inTransaction(db, { readOnly: true }, listOpenNotices));
  for (const { id, status, attempts, event, amount, reference, received_at, why } of found) {
    print(`${id}  ${status}  ${event} ${amount}  payment ${reference}  ${received_at.toISOString()}  ${attempts} attempts  ${why}`);
  }
  print(found.length === 0 ? 'No notice waits.' : `${found.length} notices. Those that are received are being retried.`);
}

async function retry(args: string[], surroundings: Surroundings): Promise<void> {
  const { print } = surroundings;
  const id = args.length === 0 ? null : Number(readArguments(args, 1, {}).positionals[0]);
  if (id !== null && !Number.isSafeInteger(id)) throw new UsageError('ID is a number; notices list shows it');
  const retried = await withDatabase(surroundings, ({ db, clock }) =>
    inTransaction(db, {}, (tx) => retryNotices(tx, systemAct('retryNotices', clock()), id)),
  );
  print(retried === 0 ? 'No notice has failed.' : `${retried} to be retried. The worker does it within a second.`);
}
