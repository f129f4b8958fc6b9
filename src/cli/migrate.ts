import { type Command, readArguments } from './command.ts';
import { withDatabase } from './open-database.ts';

export const migrate: Command = {
  summary: 'migrate the database to the schema of this release',
  usage: `tessera migrate

Run this command once per release, before you start the new processes. The old processes may keep running. Every command that writes to the embedded
database migrates it automatically. A migration that gets no lock within 2 seconds is rolled back and retried, up to 60 times.`,
  async run(args, context) {
    const { print } = context;
    readArguments(args, 0, {});
    const report = async ({ applied }: { applied: string[] }) =>
      print(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
    await withDatabase(context, report, { purpose: 'migrate' });
  },
};
