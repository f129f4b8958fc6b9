import { liftLimits } from '../audit/checks.sql.ts';
import { checks } from '../audit/checks.ts';
import type { Database } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Command, readArguments } from './command.ts';
import { withDatabase } from './open-database.ts';

export const audit: Command = {
  summary: 'check that the data is consistent',
  usage:
    'tessera audit\n\nChecks all data in one snapshot, and that constraints and triggers are in place. Changes nothing. Prints the differences and exits with 1 if it finds any.',
  async run(args, context) {
    const { print } = context;
    readArguments(args, 0, {});
    const find = ({ readDb }: { readDb: Database }) =>
      inTransaction(readDb, { readOnly: true, isolation: 'repeatable read' }, async (tx) => {
        await liftLimits(tx);
        const found: string[] = [];
        for (const check of checks) {
          const differences = await check.find(tx);
          print(`${differences.length === 0 ? 'ok  ' : 'FAIL'}  ${check.name}`);
          found.push(...differences.map((difference) => `      ${difference}`));
        }
        return found;
      });
    const findings = await withDatabase(context, find, { purpose: 'read' });
    for (const line of findings) print(line);
    if (findings.length > 0) process.exitCode = 1;
    print(findings.length === 0 ? 'No differences.' : `${findings.length} differences.`);
  },
};
