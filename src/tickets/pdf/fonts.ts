import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import anyAscii from 'any-ascii';
import type { Font } from 'fontkit';
import { oneLine } from '../../platform/mail/letter.ts';

export interface Fonts {
  regular: Font;
  bold: Font;
}

const require = createRequire(import.meta.url);

/** Features that change the look of Latin text slightly and would make its layout many times slower. Kerning stays on. */
const slowFeatures = Object.fromEntries(
  ['calt', 'ccmp', 'clig', 'curs', 'liga', 'locl', 'mark', 'mkmk', 'rclt', 'rlig'].map((name) => [name, false]),
);

async function open(file: string): Promise<Font> {
  // Loaded with the first PDF, because it would make every start slower.
  const { create } = await import('fontkit');
  const font = create(await readFile(require.resolve(`@expo-google-fonts/inter/${file}`))) as Font;
  // The font keeps each glyph with the character for which it was used first. Without this, the text of a document would depend on the
  // documents before it.
  for (const character of font.characterSet) font.glyphForCodePoint(character);
  return Object.create(font, { layout: { value: (text: string) => font.layout(text, slowFeatures) } }) as Font;
}

let opened: Promise<Fonts> | undefined;

/** Opens the fonts once. Opening them for each document would take longer than drawing it. */
export function openFonts(): Promise<Fonts> {
  opened ??= Promise.all([open('400Regular/Inter_400Regular.ttf'), open('700Bold/Inter_700Bold.ttf')]).then(([regular, bold]) => ({
    regular,
    bold,
  }));
  return opened;
}

/**
 * Returns the text with characters that the font can draw. Inter has Latin, Greek and Cyrillic letters. Letters of other scripts are replaced
 * by Latin letters, such as `Wang` for 王, and pictographs are left out. An empty box on a ticket would help nobody.
 */
export function drawableText(font: Font, text: string): string {
  const plain = oneLine(text).normalize('NFC');
  const drawn = Array.from(plain, (character) => drawable(font, character)).join('');
  return drawn.replaceAll(/\s+/g, ' ').trim();
}

function drawable(font: Font, character: string): string {
  if (font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)) return character;
  return /[\p{Extended_Pictographic}\p{C}\p{M}]/u.test(character) ? '' : anyAscii(character);
}
