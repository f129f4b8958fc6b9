import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';

export interface CommandContext {
  config: Config;
  print: (line: string) => void;
}

export interface Command {
  summary: string;
  usage: string;
  run(args: string[], context: CommandContext): Promise<void>;
}

/** The command was called with wrong arguments. The usage is printed after the message. */
export class UsageError extends Error {}

type Options = Record<string, { type: 'string' | 'boolean' }>;

/** Requires exactly `count` positional arguments and refuses unknown options. */
export function readArguments<const O extends Options>(args: string[], count: number, options: O) {
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
    if (parsed.positionals.length === count) return parsed;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  throw new UsageError(count === 0 ? 'This command takes no arguments.' : `This command takes ${count} argument${count === 1 ? '' : 's'}.`);
}
