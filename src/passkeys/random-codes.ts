import { randomBytes } from 'node:crypto';

/** The alphabet has no characters that are easily confused on paper or over the phone. */
const alphabet = 'ACDEFHJKLMNPQRTUVWXY34679';
const length = 12;

/** Bytes from this value on are skipped. Otherwise the first letters of the alphabet would be more frequent. */
const usableBytes = 256 - (256 % alphabet.length);

export function randomCodes(count: number): string[] {
  const letters = randomLetters(count * length);
  return Array.from({ length: count }, (_, i) => letters.slice(i * length, (i + 1) * length));
}

function randomLetters(count: number): string {
  let letters = '';
  while (letters.length < count) {
    for (const byte of randomBytes(count - letters.length)) if (byte < usableBytes) letters += alphabet[byte % alphabet.length];
  }
  return letters;
}
