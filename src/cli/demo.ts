import { hasDemo } from '../demo/people.sql.ts';
import { demoPassword, printedPeople } from '../demo/people.ts';
import { seedDemo } from '../demo/seed.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Command, readArguments } from './command.ts';
import { withDatabase } from './open-database.ts';

export const demo: Command = {
  summary: 'load the demo data',
  usage: 'tessera demo\n\nTwo producers, a dozen events, crew in every role. It is loaded once; a second call changes nothing.',
  async run(args, surroundings) {
    const { print } = surroundings;
    readArguments(args, 0, {});
    await withDatabase(surroundings, ({ db, clock }) =>
      inTransaction(db, {}, async (tx) => {
        if (await hasDemo(tx)) return print('The demo data is there already.');
        await seedDemo(tx, systemAct('demo', clock()));
        print(`Loaded. Log in as ${printedPeople.map(({ email }) => email).join(', ')} with the password ${demoPassword}.`);
      }),
    );
  },
};
