import { systemAct } from '../kernel/act.ts';
import { listOpenNotices, retryNotices } from '../payments/notices.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Command, type CommandContext, readArguments, UsageError } from './command.ts';
import { withDatabase } from './open-database.ts';

export const notices: Command = {
  summary: 'list payment notices that could not be applied, and retry them',
  usage: `tessera notices list
tessera notices retry [ID]

A notice is a message of a payment provider. The worker retries a notice for 24 hours, then sets its status to failed. Notices about
unknown payments or events have the status set_aside. retry queues the notice with this ID again, or all failed notices.`,
  async run(args, context) {
    const [verb = '', ...rest] = args;
    if (verb === 'list') return list(rest, context);
    if (verb === 'retry') return retry(rest, context);
    throw new UsageError(verb ? `Unknown action: ${verb}. Use list or retry.` : 'The action is missing. Use list or retry.');
  },
};

async function list(args: string[], context: CommandContext): Promise<void> {
  const { print } = context;
  readArguments(args, 0, {});
  const found = await withDatabase(context, ({ db }) => inTransaction(db, { readOnly: true }, listOpenNotices));
  for (const { id, status, attempts, provider, type, payment, received_at, why } of found) {
    print(`${id}  ${status}  ${provider} ${type}  payment ${payment}  ${received_at.toISOString()}  ${attempts} attempts  ${why}`);
  }
  print(found.length === 0 ? 'There are no open notices.' : `${found.length} notices. The worker is retrying those with status received.`);
}

async function retry(args: string[], context: CommandContext): Promise<void> {
  const { print } = context;
  const id = args.length === 0 ? null : Number(readArguments(args, 1, {}).positionals[0]);
  if (id !== null && !Number.isSafeInteger(id)) throw new UsageError('ID must be a number. tessera notices list shows the ids.');
  const retried = await withDatabase(context, ({ db, clock }) =>
    inTransaction(db, {}, (tx) => retryNotices(tx, systemAct('retryNotices', clock()), id)),
  );
  print(retried === 0 ? 'There are no failed notices.' : `${retried} notices are queued. The worker retries them within a second.`);
}
