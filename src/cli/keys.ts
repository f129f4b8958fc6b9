import { rotateSigningKey } from '../accounts/signing-keys.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { withDatabase } from './open-database.ts';

export const keys: Command = {
  summary: 'change the key that signs access tokens',
  usage: 'tessera keys rotate\n\nFrom now on a new key signs. What the old ones signed stays good until it expires: nobody is logged out.',
  async run(args, surroundings) {
    const { print } = surroundings;
    const { positionals } = readArguments(args, 1, {});
    if (positionals[0] !== 'rotate') throw new UsageError(`There is no keys ${positionals[0]}`);
    const { kid, retired } = await withDatabase(surroundings, ({ db, clock }) =>
      inTransaction(db, {}, (tx) => rotateSigningKey(tx, systemAct('rotateSigningKey', clock()))),
    );
    print(`Key ${kid} signs from now on; ${retired.length === 0 ? 'there was none before' : `${retired.join(', ')} still verifies`}.`);
  },
};
