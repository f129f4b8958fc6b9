import { type Command, readArguments } from './command.ts';
import { withDatabase } from './open-database.ts';

export const migrate: Command = {
  summary: 'bring the database to the schema of this release',
  usage: `tessera migrate

Run it once per release, before the new processes start; the old ones may keep running. The embedded database is migrated by every
command that writes to it. A migration that gets no lock within 2 seconds lets others go first and tries again, up to 60 times.`,
  async run(args, context) {
    const { print } = context;
    readArguments(args, 0, {});
    const report = async ({ applied }: { applied: string[] }) =>
      print(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
    await withDatabase(context, report, { purpose: 'migrate' });
  },
};
