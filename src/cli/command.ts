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

/** Says what is wrong with how a command was called; the usage follows. */
export class UsageError extends Error {}

type Options = Record<string, { type: 'string' | 'boolean' }>;

/** Exactly `count` positional arguments and no options but these. */
export function readArguments<const O extends Options>(args: string[], count: number, options: O) {
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
    if (parsed.positionals.length === count) return parsed;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  throw new UsageError(count === 0 ? 'It takes no arguments' : `It takes ${count} argument${count === 1 ? '' : 's'}`);
}
