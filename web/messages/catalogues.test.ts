import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Locale, locales } from '../../src/kernel/locale.ts';
import { messagesOf } from './catalogues.ts';
import { doorMessagesOf } from './door-catalogues.ts';
import { fill, plural } from './fill.ts';

/** All messages of a language with their paths, such as `tickets.left.one`. */
function flatten(value: object, path = ''): [string, string][] {
  return Object.entries(value).flatMap(([key, entry]: [string, string | object]) =>
    typeof entry === 'string' ? [[`${path}${key}`, entry] as [string, string]] : flatten(entry, `${path}${key}.`),
  );
}

const placeholders = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).toSorted();

/** The areas of the console, by the names of their English catalogues. */
const consoleFolder = new URL('console/', import.meta.url);
const areas = readdirSync(consoleFolder)
  .filter((name) => name.endsWith('.en.ts'))
  .map((name) => name.slice(0, -'.en.ts'.length));

async function consoleMessagesOf(locale: Locale): Promise<Record<string, object>> {
  const read = async (area: string) =>
    [area, ((await import(new URL(`${area}.${locale}.ts`, consoleFolder).href)) as { messages: object }).messages] as const;
  return Object.fromEntries(await Promise.all(areas.map(read)));
}

const allOf = async (locale: Locale) => ({
  ...messagesOf(locale),
  door: await doorMessagesOf(locale),
  console: await consoleMessagesOf(locale),
});
const english = new Map(flatten(await allOf('en')));

describe.each(locales)('the catalogue %s', async (locale) => {
  const messages = flatten(await allOf(locale));

  it('has the keys of the English catalogue, and no empty message', () => {
    expect(messages.map(([path]) => path)).toEqual([...english.keys()]);
    expect(messages.filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it('has the placeholders of the English message in each message', () => {
    // The singular may say "one" in words.
    const differs = ([path, text]: [string, string]) =>
      !path.endsWith('.one') && String(placeholders(text)) !== String(placeholders(english.get(path) ?? ''));
    expect(messages.filter(differs)).toEqual([]);
  });
});

describe('plural', () => {
  const forms = { one: '{count} ticket', other: '{count} tickets' };

  it('chooses the form by the rules of the language', () => {
    expect([0, 1, 2].map((n) => plural('en', forms, n))).toEqual(['0 tickets', '1 ticket', '2 tickets']);
    expect([0, 1, 2].map((n) => plural('pt-BR', forms, n))).toEqual(['0 ticket', '1 ticket', '2 tickets']);
    expect(plural('pt-BR', forms, 1200)).toBe('1.200 tickets');
  });

  it('leaves placeholders without a value', () => {
    expect(fill('{a} and {b}', { a: 1 })).toBe('1 and {b}');
  });
});
