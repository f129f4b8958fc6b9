import { renameSync, writeFileSync } from 'node:fs';
import { liftLimits } from '../audit/checks.sql.ts';
import { checks } from '../audit/checks.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Command, readArguments } from './command.ts';
import { type OpenDatabase, withDatabase } from './open-database.ts';

interface Result {
  check: string;
  differences: string[];
}

export const audit: Command = {
  summary: 'check that the data is consistent',
  usage:
    'tessera audit [--metrics FILE]\n\nChecks all data in one snapshot, and that constraints and triggers are in place. Changes nothing. Prints the differences and exits with 1 if it finds any. Reads from DATABASE_READ_URL if it is set. --metrics also writes the number of differences into FILE, for the textfile collector of the Prometheus node exporter.',
  async run(args, context) {
    const { print } = context;
    const { values } = readArguments(args, 0, { metrics: { type: 'string' } });
    const find = async ({ readDb, clock }: OpenDatabase) => {
      const results = await inTransaction(readDb, { readOnly: true, isolation: 'repeatable read' }, async (tx) => {
        await liftLimits(tx);
        const found: Result[] = [];
        for (const check of checks) {
          const differences = await check.find(tx);
          print(`${differences.length === 0 ? 'ok  ' : 'FAIL'}  ${check.name}`);
          found.push({ check: check.name, differences });
        }
        return found;
      });
      return { results, at: clock() };
    };
    const { results, at } = await withDatabase(context, find, { purpose: 'read' });
    if (values.metrics !== undefined) writeMetrics(values.metrics, results, at);
    const findings = results.flatMap(({ differences }) => differences);
    for (const line of findings) print(`      ${line}`);
    if (findings.length > 0) process.exitCode = 1;
    print(findings.length === 0 ? 'No differences.' : `${findings.length} differences.`);
  },
};

/** The file is replaced at once, so that the collector never reads a part of it. */
function writeMetrics(file: string, results: readonly Result[], at: Date): void {
  const label = (text: string) => text.replaceAll(/["\\\n]/g, ' ');
  const lines = [
    '# HELP tessera_invariant_violations Differences that the last audit found',
    '# TYPE tessera_invariant_violations gauge',
    ...results.map(({ check, differences }) => `tessera_invariant_violations{check="${label(check)}"} ${differences.length}`),
    '# HELP tessera_audit_time_seconds When the last audit ended, in Unix time',
    '# TYPE tessera_audit_time_seconds gauge',
    `tessera_audit_time_seconds ${Math.round(at.getTime() / 1000)}`,
  ];
  writeFileSync(`${file}.draft`, `${lines.join('\n')}\n`);
  renameSync(`${file}.draft`, file);
}
