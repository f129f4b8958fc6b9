import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf } from './documents.ts';

/** A shell block of a page, with the results that the page says it has. */
interface ShellBlock {
  text: string;
  line: number;
  /** The statuses other than 2xx that its requests may return, from the comment `<!-- returns 404 -->`. */
  refusals: string[];
  /** The JSON that the page shows after the block. */
  shown: unknown;
}

/** The results of one block. */
interface Outcome {
  block: ShellBlock;
  stdout: string;
  stderr: string;
  refusals: string[];
}

const maxMs = 200_000;

/** Returns the programs that are not installed on this machine. */
export const missingPrograms = (names: readonly string[]): string[] =>
  names.filter((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error !== undefined);

/** Returns the blocks to run. A block after the comment `<!-- not run: why -->` is skipped. */
function shellBlocks(page: string): ShellBlock[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ language, text, line, note }, i) => {
    if (!['sh', 'bash', 'console'].includes(language) || note.startsWith('not run:')) return [];
    const refusals = /^returns (.*)$/.exec(note)?.[1]?.split(' ') ?? [];
    const next = blocks[i + 1];
    return [{ text, line, refusals, shown: next?.language === 'json' ? JSON.parse(next.text) : undefined }];
  });
}

/** A program in front of curl that records the status of each response, because curl succeeds with any status. */
const recordingCurl = `#!/bin/bash
headers=$(mktemp "$TRACE/headers.XXXXXX")
PATH=\${PATH#*:} curl -D "$headers" "$@"
ended=$?
sed -n 's/^HTTP[^ ]* \\([3-9][0-9]*\\).*/\\1/p' "$headers" >> "$TRACE/refusals"
exit $ended
`;
/** Separates the output of one block from that of the next. */
const separator = '\u001e';
const mark = `printf '\\036'; printf '\\036' >&2; printf '\\036' >> "$TRACE/refusals"\n`;

/**
 * Runs the shell blocks of a page, in order, in one shell and an empty folder. `http://127.0.0.1:3000` is replaced by `origin` in all URLs.
 * Throws an error with the block and its output if a block fails, or if a request returns another error status than the page says.
 */
export async function runShellBlocks(page: string, origin: string): Promise<void> {
  const blocks = shellBlocks(page);
  if (blocks.length === 0) throw new Error('The page has no shell blocks');
  const folder = mkdtempSync(join(tmpdir(), 'tessera-docs-'));
  const trace = mkdtempSync(join(tmpdir(), 'tessera-docs-trace-'));
  try {
    const script = join(trace, 'script.sh');
    writeFileSync(join(trace, 'refusals'), '');
    writeFileSync(join(trace, 'curl'), recordingCurl, { mode: 0o755 });
    writeFileSync(script, blocks.map(({ text }) => `${mark}${text.replaceAll('http://127.0.0.1:3000', origin)}\n`).join(''));
    const { code, stdout, stderr } = await runBash(script, folder, trace);
    const refusals = readFileSync(join(trace, 'refusals'), 'utf8').split(separator).slice(1);
    const [printed, complained] = [stdout.split(separator).slice(1), stderr.split(separator).slice(1)];
    const outcomes = printed.map((out, i): Outcome => {
      const block = blocks[i];
      if (!block) throw new Error('A block printed the separator');
      return { block, stdout: out, stderr: complained[i] ?? '', refusals: refusals[i]?.split('\n').filter(Boolean) ?? [] };
    });
    const last = outcomes.at(-1);
    if (code !== 0) throw last ? failure(last, `ended with ${code}`) : new Error(`bash ended with ${code}: ${stderr}`);
    for (const outcome of outcomes) requireAsShown(outcome);
  } finally {
    for (const each of [folder, trace]) rmSync(each, { recursive: true, force: true });
  }
}

async function runBash(script: string, cwd: string, trace: string) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('bash', ['-euo', 'pipefail', script], {
    cwd,
    env: { PATH: `${trace}:${PATH}`, HOME, TRACE: trace },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxMs,
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  await once(child, 'close');
  return { code: child.exitCode ?? child.signalCode, ...output };
}

function requireAsShown(outcome: Outcome): void {
  const { block, refusals, stdout } = outcome;
  if (refusals.join() !== block.refusals.join()) {
    throw failure(outcome, `got ${refusals.join(', ') || 'no'} refusals instead of ${block.refusals.join(', ') || 'none'}`);
  }
  const missing = block.shown === undefined ? [] : missingParts(block.shown, JSON.parse(stdout));
  if (missing.length > 0) throw failure(outcome, `returned no ${missing.join(', ')} as the page shows`);
}

/** Returns the names of fields that the page shows and the response does not have. Values are not compared. */
function missingParts(shown: unknown, returned: unknown, at = ''): string[] {
  if (typeof shown !== typeof returned || Array.isArray(shown) !== Array.isArray(returned)) return [at];
  if (typeof shown !== 'object' || shown === null || typeof returned !== 'object' || returned === null) return [];
  const known = new Map(Object.entries(returned));
  return Object.entries(shown).flatMap(([name, value]) =>
    known.has(name) ? missingParts(value, known.get(name), `${at}/${name}`) : [`${at}/${name}`],
  );
}

const failure = ({ block, stdout, stderr }: Outcome, what: string): Error =>
  new Error(`The block in line ${block.line} ${what}:\n${block.text}\n--- printed:\n${stdout}\n--- on standard error:\n${stderr}`);
