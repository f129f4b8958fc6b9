import { randomBytes } from 'node:crypto';

/** Without characters that are easily confused on paper or over the phone. */
const alphabet = 'ACDEFHJKLMNPQRTUVWXY34679';
const length = 12;

/** Larger bytes are skipped: with them the first letters of the alphabet would be more frequent. */
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
