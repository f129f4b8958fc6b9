import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

export const readDocument = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Returns the paths of the documentation pages, relative to the root of the repository. */
export function documentPaths(): string[] {
  const names = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'client/README.md', 'bench/README.md'];
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  return [...names, ...pages.map((name) => join('docs', name)).toSorted()];
}

/** Counts the words of prose, code and tables. The bars and dashes of a table are not words. */
export const countWords = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** A fenced code block of a page. */
interface Block {
  language: string;
  text: string;
  /** The line number of the opening fence, for messages. */
  line: number;
  /** The text of the HTML comment on the previous line, or an empty string. */
  note: string;
}

export function blocksOf(text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let i = 0; i < lines.length; i++) {
    const fence = /^(\s*)```(\w*)/.exec(lines[i] ?? '');
    if (!fence) continue;
    const [, indent = '', language = ''] = fence;
    const begin = i + 1;
    const end = lines.findIndex((line, n) => n >= begin && line.trim() === '```');
    if (end < 0) throw new Error(`The block in line ${begin} has no end`);
    const content = lines.slice(begin, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    const note = /^\s*<!-- (.*) -->\s*$/.exec(lines[begin - 2] ?? '')?.[1] ?? '';
    blocks.push({ language, text: content.join('\n'), line: begin, note });
    i = end;
  }
  return blocks;
}

function withoutCode(text: string): string {
  return text.replaceAll(/^\s*```[^]*?^\s*```\s*$/gm, '').replaceAll(/`[^`\n]*`/g, '');
}

/** Returns the anchors of the headings of a page, by the rules of GitHub. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^\s*```[^]*?^\s*```\s*$/gm, '').matchAll(/^#{1,6} +(.*?)\s*#*$/gm);
  const anchors = new Set<string>();
  for (const [, heading = ''] of headings) {
    const anchor = slugOf(heading);
    let free = anchor;
    for (let n = 1; anchors.has(free); n++) free = `${anchor}-${n}`;
    anchors.add(free);
  }
  return anchors;
}

function slugOf(heading: string): string {
  const shown = heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
  return shown
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

/** Returns one line for each broken relative link of a page. */
export function brokenLinks(path: string, text = readDocument(path)): string[] {
  const targets = [...withoutCode(text).matchAll(/\]\(([^()\s]+)\)|^\[[^\]]+\]: +(\S+)/gm)].map(
    ([, inline, reference]) => inline ?? reference ?? '',
  );
  return targets
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
    .flatMap((target) => {
      const [file = '', anchor] = target.split('#');
      const found = relative(root, resolve(root, dirname(path), file));
      if (file !== '' && (found.startsWith('..') || !existsSync(join(root, found)))) return [`${path}: ${target}: there is no such file`];
      if (anchor === undefined) return [];
      const page = file === '' ? text : readDocument(found);
      return anchorsOf(page).has(anchor) ? [] : [`${path}: ${target}: there is no such heading`];
    });
}
