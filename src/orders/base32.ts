/** Crockford's: all of it fits a QR code's alphanumeric mode and a URL, and every keyboard that a scanner pretends to be has it. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** What stands for each value: either case, and what an eye takes for it, as there is no O, I or L. */
const values = new Map(
  Array.from(alphabet, (letter, value) => ({ letter, value }))
    .concat({ letter: 'O', value: 0 }, { letter: 'I', value: 1 }, { letter: 'L', value: 1 })
    .flatMap(({ letter, value }): [string, number][] => [
      [letter, value],
      [letter.toLowerCase(), value],
    ]),
);

export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    for (bits += 8; bits >= 5; ) {
      bits -= 5;
      text += alphabet[pending >> bits];
      pending &= (1 << bits) - 1;
    }
  }
  return bits === 0 ? text : text + alphabet[pending << (5 - bits)];
}

/** Spaces, line breaks and dashes may stand anywhere. Null for any other text that `toBase32` would not have written. */
export function fromBase32(text: string): Buffer | null {
  const bytes: number[] = [];
  let pending = 0;
  let bits = 0;
  for (const letter of text.replaceAll(/[\s-]/g, '')) {
    const value = values.get(letter);
    if (value === undefined) return null;
    pending = (pending << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push(pending >> bits);
      pending &= (1 << bits) - 1;
    }
  }
  // What fills up the last letter is zero, and fills no whole letter.
  return bits < 5 && pending === 0 ? Buffer.from(bytes) : null;
}
