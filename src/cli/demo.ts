import { demoPasswords } from '../demo/passwords.ts';
import { hasDemo } from '../demo/people.sql.ts';
import { seedDemo } from '../demo/seed.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Command, readArguments } from './command.ts';
import { demoLogins } from './demo-logins.ts';
import { withDatabase } from './open-database.ts';

export const demo: Command = {
  summary: 'load the demo data',
  usage:
    'tessera demo\n\nLoads two producers, a dozen events and crew members in every role. If the demo data exists, nothing is changed. With DEMO=public every account gets a random password, which is printed only once.',
  async run(args, context) {
    const { config, print } = context;
    readArguments(args, 0, {});
    await withDatabase(context, async ({ db, clock }) => {
      if (await inTransaction(db, { readOnly: true }, hasDemo)) return print('The demo data is already loaded.');
      const passwords = demoPasswords(config);
      await inTransaction(db, {}, (tx) => seedDemo(tx, systemAct('demo', clock()), passwords));
      print(['Loaded. Log in with:', ...demoLogins(passwords)].join('\n'));
    });
  },
};
