/**
 * Crockford's alphabet. It works in URLs and in the alphanumeric mode of QR codes, and hand-held scanners can type it with any keyboard
 * layout.
 */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The value of each ASCII character; -1 if it has no value. Both cases are accepted. O is read as 0, I and L as 1, because people confuse
 * them.
 */
const values = new Int8Array(128).fill(-1);
for (const [value, letter] of Array.from(alphabet).entries()) setValue(letter, value);
setValue('O', 0);
setValue('I', 1);
setValue('L', 1);

function setValue(letter: string, value: number): void {
  for (const form of [letter, letter.toLowerCase()]) values[form.charCodeAt(0)] = value;
}

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

/** Writes a number with the letters of the alphabet, without leading zeros. */
export const lettersOf = (value: number): string =>
  Array.from(value.toString(32), (digit) => alphabet[Number.parseInt(digit, 32)]).join('');

/** Reads a number that `lettersOf` has written, in upper or lower case. Returns null for other text. */
export function numberOf(letters: string): number | null {
  let number = 0;
  for (let i = 0; i < letters.length; i++) {
    const value = values[letters.charCodeAt(i)] ?? -1;
    if (value < 0) return null;
    number = number * 32 + value;
  }
  return number;
}

/** Decodes base32. Ignores white space and dashes. Returns null for text that `toBase32` does not produce. */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> | null {
  return decode(text) ?? (/[\s-]/.test(text) ? decode(text.replaceAll(/[\s-]/g, '')) : null);
}

function decode(letters: string): Uint8Array<ArrayBuffer> | null {
  const bytes = new Uint8Array((letters.length * 5) >> 3);
  let length = 0;
  let pending = 0;
  let bits = 0;
  for (let i = 0; i < letters.length; i++) {
    const value = values[letters.charCodeAt(i)] ?? -1;
    if (value < 0) return null;
    pending = (pending << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = pending >> bits;
      pending &= (1 << bits) - 1;
    }
  }
  // The padding bits of the last letter must be zero, and there must be fewer than five padding bits. So each value has only one encoding.
  return bits < 5 && pending === 0 ? bytes : null;
}
