import { revokeSigningKeys, rotateSigningKey, sealSigningKeys } from '../accounts/signing-keys.ts';
import { sealTotpSecrets } from '../accounts/totp.ts';
import { readSecretFile } from '../config.ts';
import { systemAct } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { revokeTicketKeys, sealTicketKeys } from '../tickets/ticket-keys.ts';
import { sealWebhookSecrets } from '../webhooks/change-webhooks.ts';
import { type Command, type CommandContext, readArguments, UsageError } from './command.ts';
import { withDatabase } from './open-database.ts';
import { secretsOf } from './secret-key.ts';

const usage = `tessera keys rotate
tessera keys reseal [--old-file FILE]
tessera keys revoke [--tickets]

rotate: creates a new key to sign access tokens. Tokens that older keys signed stay valid until they expire, so nobody is logged out.

reseal: encrypts all private keys, the keys of authenticator apps and the secrets of webhooks with the current SECRET_KEY. Use it after you have replaced SECRET_KEY. Give the previous key in
SECRET_KEY_OLD or in a file with --old-file. Processes that have both keys keep working; restart them without SECRET_KEY_OLD afterwards.

revoke: use it after keys have leaked. It creates a new key to sign access tokens and revokes the old keys. All sessions and API tokens end, so
everybody must log in again. Tickets stay valid. With --tickets every event also gets a new ticket key: ticket codes and order links that
were sent before become invalid, and buyers need their tickets again (POST /orders/{id}/tickets/mail). Also use --tickets if SECRET_KEY is
lost.`;

export const keys: Command = {
  summary: 'replace the keys that sign access tokens and tickets, or SECRET_KEY',
  usage,
  async run(args, context) {
    const options = { 'old-file': { type: 'string' }, tickets: { type: 'boolean' } } as const;
    const { positionals, values } = readArguments(args, 1, options);
    const [action = ''] = positionals;
    if (values.tickets && action !== 'revoke') throw new UsageError('Only keys revoke accepts --tickets.');
    if (values['old-file'] !== undefined && action !== 'reseal') throw new UsageError('Only keys reseal accepts --old-file.');
    if (action === 'rotate') await rotate(context);
    else if (action === 'reseal') await reseal(context, values['old-file']);
    else if (action === 'revoke') await revoke(context, values.tickets === true);
    else throw new UsageError(`Unknown action: ${action}. Use rotate, reseal or revoke.`);
  },
};

async function rotate(context: CommandContext): Promise<void> {
  const { print } = context;
  const { kid, retired } = await withDatabase(context, ({ db, clock }) =>
    inTransaction(db, {}, (tx) => rotateSigningKey(tx, systemAct('rotateSigningKey', clock()))),
  );
  print(`New signing key: ${kid}.`);
  if (retired.length > 0) print(`Tokens signed with ${retired.join(', ')} stay valid until they expire.`);
}

async function reseal(context: CommandContext, oldFile: string | undefined): Promise<void> {
  const { config, print } = context;
  if (oldFile === undefined && config.secretKeyOld === null) {
    throw new UsageError('Give the previous SECRET_KEY: set SECRET_KEY_OLD, or pass the file that holds it with --old-file.');
  }
  const secrets = secretsOf(config, oldFile === undefined ? [] : [readSecretFile('--old-file', oldFile)]);
  const sealAll = async (tx: Tx, at: Date) => {
    const counts = {
      signing: await sealSigningKeys(tx),
      totp: await sealTotpSecrets(tx),
      tickets: await sealTicketKeys(tx),
      webhooks: await sealWebhookSecrets(tx),
    };
    await record(tx, systemAct('resealKeys', at), { subject: 'secret_key', id: 'current', after: counts });
    return counts;
  };
  const { signing, totp, tickets, webhooks } = await withDatabase(
    context,
    ({ db, clock }) => inTransaction(db, {}, (tx) => sealAll(tx, clock())),
    {
      secrets,
    },
  );
  print(
    `Encrypted ${signing} signing keys, ${totp} authenticator keys, ${tickets} ticket keys and the secrets of ${webhooks} webhooks with the new SECRET_KEY. Restart the service without SECRET_KEY_OLD.`,
  );
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
  print(`New signing key: ${kid}. All older keys are revoked. ${sessions} sessions and ${tokens} API tokens ended.`);
  print(tickets ? `${events} events have a new ticket key. Send the tickets again.` : 'Ticket codes stay valid.');
}
