import { type Command, UsageError } from './cli/command.ts';
import { ConfigError } from './config/read-setting.ts';
import { readConfig } from './config.ts';
import { Problem } from './kernel/problem.ts';
import { SchemaError } from './postgres/migrations.ts';

/** A command loads only the code that it needs. Most commands need no HTTP server and start four times faster without it. */
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./cli/serve.ts')).serve,
  worker: async () => (await import('./cli/worker.ts')).worker,
  migrate: async () => (await import('./cli/migrate.ts')).migrate,
  demo: async () => (await import('./cli/demo.ts')).demo,
  user: async () => (await import('./cli/user.ts')).user,
  device: async () => (await import('./cli/device.ts')).device,
  keys: async () => (await import('./cli/keys.ts')).keys,
  audit: async () => (await import('./cli/audit.ts')).audit,
  reconcile: async () => (await import('./cli/reconcile.ts')).reconcile,
  notices: async () => (await import('./cli/notices.ts')).notices,
  retention: async () => (await import('./cli/retention.ts')).retention,
  'skip-ids': async () => (await import('./cli/skip-ids.ts')).skipIdsCommand,
  openapi: async () => (await import('./cli/openapi.ts')).openapi,
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const printError = (line: string): void => void process.stderr.write(`${line}\n`);

async function overview(): Promise<string> {
  const loaded = await Promise.all(Object.entries(commands).map(async ([name, load]) => ({ name, ...(await load()) })));
  const lines = loaded.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`);
  return [
    'Usage: tessera COMMAND',
    '',
    ...lines,
    '',
    'Run tessera COMMAND --help for details. docs/operations.md lists the environment variables.',
  ].join('\n');
}

async function main([name = '', ...args]: string[]): Promise<void> {
  const command = Object.hasOwn(commands, name) ? await commands[name]?.() : undefined;
  if (!command) {
    const isHelp = name === '--help' || name === 'help';
    (isHelp ? print : printError)(name && !isHelp ? `Unknown command: ${name}\n\n${await overview()}` : await overview());
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
