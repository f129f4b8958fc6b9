import { inflateSync } from 'node:zlib';
import { expect } from 'vitest';
import { scan } from './qr.ts';

/** A PDF as its pages show it. It reads only what pdfkit writes: plain objects, one content stream per page, and fonts with `ToUnicode`. */
export interface OpenedPdf {
  info: string;
  /** `codes` scans the QR codes of the page, which takes some time. */
  pages: { text: string; codes(): (string | undefined)[] }[];
}

/** Opens a PDF and checks that its table of objects is correct. */
export function openPdf(pdf: Buffer): OpenedPdf {
  const source = pdf.toString('latin1');
  expect(source).toMatch(/^%PDF-1\.\d\n/);
  expect(source.trimEnd()).toMatch(/%%EOF$/);
  const objects = readObjects(source);
  const pages = [...objects.values()].filter((text) => /\/Type \/Page\b/.test(text));
  const trailer = source.slice(source.lastIndexOf('trailer'));
  return {
    info: objects.get(referenceIn(trailer, 'Info')) ?? '',
    pages: pages.map((page) => readPage(page, objects)),
  };
}

type Objects = ReadonlyMap<number, string>;

/** Reads the objects at the places that the table at the end of the file lists. */
function readObjects(source: string): Objects {
  const table = Number(/startxref\n(\d+)\n/.exec(source)?.[1]);
  expect(source.slice(table, table + 4)).toBe('xref');
  const places = [...source.slice(table).matchAll(/^(\d{10}) \d{5} n/gm)].map(([, place]) => Number(place));
  return new Map(
    places.map((place) => {
      const [start = '', id] = /^(\d+) 0 obj\n/.exec(source.slice(place, place + 30)) ?? [];
      expect(start).not.toBe('');
      return [Number(id), source.slice(place + start.length, source.indexOf('\nendobj', place))];
    }),
  );
}

const referenceIn = (text: string, key: string): number => Number(new RegExp(`/${key} (\\d+) 0 R`).exec(text)?.[1]);

function streamOf(object = ''): string {
  const [head = '', bytes = ''] = object.split(/stream\n(.*)/s);
  const raw = Buffer.from(bytes.replace(/\nendstream$/, ''), 'latin1');
  return head.includes('/FlateDecode') ? inflateSync(raw).toString('latin1') : raw.toString('latin1');
}

function readPage(page: string, objects: Objects): OpenedPdf['pages'][number] {
  const content = streamOf(objects.get(referenceIn(page, 'Contents')));
  const resources = objects.get(referenceIn(page, 'Resources')) ?? '';
  const fonts = new Map([...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, id]) => [name, charactersOf(objects, Number(id))]));
  const lines = [...content.matchAll(/\/(F\d+) [\d.]+ Tf[^[]*\[(.*?)\] TJ/gs)].map(([, font, parts = '']) => {
    const glyphs = [...parts.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
    return glyphs.map((glyph) => fonts.get(font)?.get(Number.parseInt(glyph, 16)) ?? '?').join('');
  });
  return { text: lines.join('\n'), codes: () => codesOf(content) };
}

/** The characters of a font by their number in the file. */
function charactersOf(objects: Objects, id: number): Map<number, string> {
  const map = streamOf(objects.get(referenceIn(objects.get(id) ?? '', 'ToUnicode')));
  const characters = new Map<number, string>();
  for (const [, first = '', list = ''] of map.matchAll(/<(\w+)> <\w+> \[(.*?)\]/g)) {
    for (const [i, [, hex = '']] of [...list.matchAll(/<([^>]*)>/g)].entries()) {
      characters.set(Number.parseInt(first, 16) + i, Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'));
    }
  }
  return characters;
}

/** A QR code is a path of rectangles, one module high, that are filled together. */
function codesOf(content: string): (string | undefined)[] {
  const paths = content.match(/(\d+ \d+ \d+ 1 re\n)+/g) ?? [];
  return paths.filter((path) => path.length > 1_000).map(scanPath);
}

function scanPath(path: string): string | undefined {
  const scale = 4;
  const margin = 4;
  const runs = path
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number) as [number, number, number]);
  const dark = new Set(runs.flatMap(([x, y, width]) => Array.from({ length: width }, (_, i) => `${x + i + margin},${y + margin}`)));
  const size = Math.max(...runs.map(([x, , width]) => x + width)) + 2 * margin;
  return scan({ width: size * scale, isDark: (x, y) => dark.has(`${Math.floor(x / scale)},${Math.floor(y / scale)}`) })?.data;
}
