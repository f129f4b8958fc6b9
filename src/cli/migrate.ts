import { type Command, readArguments } from './command.ts';
import { withDatabase } from './open-database.ts';

export const migrate: Command = {
  summary: 'bring the database to the schema of this release',
  usage: 'tessera migrate\n\nEvery command that opens the database does this first; here it is on its own, for deployments.',
  async run(args, surroundings) {
    const { print } = surroundings;
    readArguments(args, 0, {});
    await withDatabase(surroundings, async ({ applied }) => {
      print(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
    });
  },
};
