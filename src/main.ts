import { audit } from './cli/audit.ts';
import { type Command, UsageError } from './cli/command.ts';
import { demo } from './cli/demo.ts';
import { keys } from './cli/keys.ts';
import { migrate } from './cli/migrate.ts';
import { notices } from './cli/notices.ts';
import { openapi } from './cli/openapi.ts';
import { reconcile } from './cli/reconcile.ts';
import { retention } from './cli/retention.ts';
import { serve } from './cli/serve.ts';
import { user } from './cli/user.ts';
import { worker } from './cli/worker.ts';
import { ConfigError, readConfig } from './config.ts';
import { Problem } from './kernel/problem.ts';
import { SchemaError } from './postgres/migrations.ts';

const commands: Record<string, Command> = { serve, worker, migrate, demo, user, keys, audit, reconcile, notices, retention, openapi };

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const printError = (line: string): void => void process.stderr.write(`${line}\n`);

function overview(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`);
  return [
    'Usage: tessera COMMAND',
    '',
    ...lines,
    '',
    'Run tessera COMMAND --help for details. The README lists the environment variables.',
  ].join('\n');
}

async function main([name = '', ...args]: string[]): Promise<void> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const isHelp = name === '--help' || name === 'help';
    (isHelp ? print : printError)(name && !isHelp ? `Unknown command: ${name}\n\n${overview()}` : overview());
    process.exitCode = isHelp ? 0 : 2;
    return;
  }
  if (args.includes('--help') || args.includes('-h')) return print(`${command.usage}\n`);
  try {
    await command.run(args, { config: readConfig(process.env), print });
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof UsageError) printError(`${error.message}\n\nUsage:\n${command.usage}`);
    else if (error instanceof ConfigError || error instanceof SchemaError || error instanceof Problem) printError(error.message);
    else printError(process.env.LOG_LEVEL === 'debug' && error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

await main(process.argv.slice(2));
