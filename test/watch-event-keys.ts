import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { readEventTables } from './event-tables.ts';
import { onStatement } from './watch-statements.ts';

/** The different statements of this process, each with the call that sent it first. */
const sent = new Map<string, Error>();

/** A stack also has the frames of Kysely and of the asynchronous calls between the use-case and the connection. */
const stackDepth = 50;

let isWatching = false;

/** Remembers the statements of this process, so that `takeMissingEventKeys` can check them. */
export function watchEventKeys(): void {
  if (isWatching) return;
  isWatching = true;
  onStatement(({ text }) => {
    if (sent.has(text)) return;
    const depth = Error.stackTraceLimit;
    Error.stackTraceLimit = stackDepth;
    sent.set(text, new Error('sent'));
    Error.stackTraceLimit = depth;
  });
}

/**
 * Checks the statements since the last call. Returns those of the service that use a table of an event without its event_id. Test files send
 * mostly the same statements. So the files of a run share a list of accepted statements, and most files need not parse much.
 */
export async function takeMissingEventKeys(): Promise<string[]> {
  const accepted = new Set(sent.size > 0 ? readLines(inject('acceptedStatements')) : []);
  const statements = [...sent].filter(([text]) => !accepted.has(hash(text)));
  sent.clear();
  if (statements.length === 0) return [];
  const { findMissingEventKeys } = await import('./event-key.ts');
  const tables = readEventTables();
  const checked = statements.map(([text, call]) => ({ text, call, found: findMissingEventKeys(text, tables) }));
  const good = checked.filter(({ found }) => found.length === 0);
  appendFileSync(inject('acceptedStatements'), good.map(({ text }) => `${hash(text)}\n`).join(''));
  return checked.flatMap(({ text, call, found }) => {
    // Formatting a stack is slow, because Vitest maps each line to its source.
    const caller = found.length === 0 ? '' : callerOf(call.stack ?? '');
    return found.length === 0 || isOfTest(caller) ? [] : [`${caller}: ${found.join('; ')}\n  ${text.replaceAll(/\s+/g, ' ').trim()}`];
  });
}

const readLines = (file: string): string[] => (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);

const hash = (text: string): string => createHash('sha256').update(text).digest('base64');

const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns the file and line that had the statement sent: the first call outside the libraries, `src/postgres` and the watchers. */
function callerOf(stack: string): string {
  const files = [...stack.matchAll(/(\/[^\s()]+\.ts:\d+):\d+/g)].map((match) => relative(root, match[1] ?? ''));
  const isBetween = (file: string) => /^(node_modules|src\/postgres(?!.*\.test\.ts)|test\/watch-)/.test(file);
  return files.find((file) => !isBetween(file)) ?? 'unknown caller';
}

/** Tests and their helpers may read all events. */
const isOfTest = (caller: string): boolean => /^(client\/)?test\/|\.test\.ts/.test(caller);
