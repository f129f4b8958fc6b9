import { revokeSigningKeys, rotateSigningKey, sealSigningKeys } from '../accounts/signing-keys.ts';
import { readSecretFile } from '../config.ts';
import { systemAct } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { revokeTicketKeys, sealTicketKeys } from '../tickets/ticket-keys.ts';
import { type Command, type CommandContext, readArguments, UsageError } from './command.ts';
import { withDatabase } from './open-database.ts';
import { secretsOf } from './secret-key.ts';

const usage = `tessera keys rotate
tessera keys reseal [--old-file FILE]
tessera keys revoke [--tickets]

rotate: a new key signs access tokens from now on. What the old keys signed stays good until it expires: nobody is logged out.

reseal: seals all private keys with today's SECRET_KEY, after it was replaced. The key before is in SECRET_KEY_OLD or in the file of
--old-file. Processes that have both keys go on working meanwhile; restart them without SECRET_KEY_OLD afterwards.

revoke: after a leak. A new key signs access tokens, and everything that the old keys signed stops at once; sessions and API tokens end,
so everybody logs in again. Tickets stay valid. With --tickets every event gets a new ticket key too: ticket codes and order links that
were sent before stop working, and buyers need their tickets again (POST /orders/{id}/tickets/mail). This also helps when SECRET_KEY is lost.`;

export const keys: Command = {
  summary: 'replace the keys that sign access tokens and tickets, or the key that seals those',
  usage,
  async run(args, context) {
    const options = { 'old-file': { type: 'string' }, tickets: { type: 'boolean' } } as const;
    const { positionals, values } = readArguments(args, 1, options);
    const [action = ''] = positionals;
    if (values.tickets && action !== 'revoke') throw new UsageError('--tickets is for keys revoke');
    if (values['old-file'] !== undefined && action !== 'reseal') throw new UsageError('--old-file is for keys reseal');
    if (action === 'rotate') await rotate(context);
    else if (action === 'reseal') await reseal(context, values['old-file']);
    else if (action === 'revoke') await revoke(context, values.tickets === true);
    else throw new UsageError(`There is no keys ${action}`);
  },
};

async function rotate(context: CommandContext): Promise<void> {
  const { print } = context;
  const { kid, retired } = await withDatabase(context, ({ db, clock }) =>
    inTransaction(db, {}, (tx) => rotateSigningKey(tx, systemAct('rotateSigningKey', clock()))),
  );
  print(`Key ${kid} signs from now on; ${retired.length === 0 ? 'there was none before' : `${retired.join(', ')} still verifies`}.`);
}

async function reseal(context: CommandContext, oldFile: string | undefined): Promise<void> {
  const { config, print } = context;
  if (oldFile === undefined && config.secretKeyOld === null) {
    throw new UsageError('Give the SECRET_KEY that sealed the keys: SECRET_KEY_OLD, or --old-file with the file that holds it');
  }
  const secrets = secretsOf(config, oldFile === undefined ? [] : [readSecretFile('--old-file', oldFile)]);
  const sealAll = async (tx: Tx, at: Date) => {
    const counts = { signing: await sealSigningKeys(tx, 'all'), tickets: await sealTicketKeys(tx, 'all') };
    await record(tx, systemAct('resealKeys', at), { subject: 'secret_key', id: 'current', after: counts });
    return counts;
  };
  const { signing, tickets } = await withDatabase(context, ({ db, clock }) => inTransaction(db, {}, (tx) => sealAll(tx, clock())), {
    secrets,
  });
  print(`Sealed ${signing} signing keys and ${tickets} ticket keys with the new SECRET_KEY. Restart the service without SECRET_KEY_OLD.`);
}

async function revoke(context: CommandContext, tickets: boolean): Promise<void> {
  const { print } = context;
  const revokeAll = async (tx: Tx, at: Date) => {
    const access = await revokeSigningKeys(tx, systemAct('revokeSigningKeys', at));
    return { ...access, events: tickets ? await revokeTicketKeys(tx, systemAct('revokeTicketKeys', at)) : 0 };
  };
  const { kid, sessions, tokens, events } = await withDatabase(
    context,
    ({ db, clock }) => inTransaction(db, {}, (tx) => revokeAll(tx, clock())),
    {
      anySecretKey: true,
    },
  );
  print(`Key ${kid} signs from now on; the old keys sign nothing that is accepted. ${sessions} sessions and ${tokens} API tokens ended.`);
  print(tickets ? `${events} events have a new ticket key. Send the tickets again.` : 'Ticket codes stay valid.');
}
