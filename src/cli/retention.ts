import { systemAct } from '../kernel/act.ts';
import { openFiles } from '../platform/files/open-files.ts';
import { choresOf } from '../worker/chores.ts';
import { previewHousekeeping, runHousekeeping } from '../worker/housekeeping.ts';
import { type Command, readArguments } from './command.ts';
import { withDatabase } from './open-database.ts';

export const retention: Command = {
  summary: 'remove old data now, or only count it',
  usage: `tessera retention [--dry-run]

Removes data that is older than the RETENTION_ variables allow. The worker does the same every ten minutes. With --dry-run nothing is
changed. Exits with 1 if a kind of data could not be removed.`,
  async run(args, context) {
    const { config, print } = context;
    const { values } = readArguments(args, 0, { 'dry-run': { type: 'boolean' } });
    const chores = choresOf(config.retention, openFiles(config));
    const show = (counts: Record<string, number | null>) => {
      for (const [kind, n] of Object.entries(counts)) print(`${kind.padEnd(20)} ${n ?? 'failed'}`);
    };
    if (values['dry-run']) {
      show(
        await withDatabase(context, ({ db, clock }) => previewHousekeeping(db, systemAct('retention', clock()), chores), {
          purpose: 'read',
        }),
      );
      print('Nothing was removed.');
      return;
    }
    const log = { error: (facts: { err?: unknown; kind?: string }) => print(`${facts.kind} failed: ${String(facts.err)}`) };
    const removed = await withDatabase(context, ({ db, clock }) => runHousekeeping(db, systemAct('retention', clock()), { chores, log }));
    if (removed === null) print('Another process is removing old data. Try again later.');
    else show(removed);
    if (removed === null || Object.values(removed).includes(null)) process.exitCode = 1;
  },
};
