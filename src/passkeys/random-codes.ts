import { randomBytes } from 'node:crypto';

/** No two of these are taken for each other, on paper or over the phone. */
const alphabet = 'ACDEFHJKLMNPQRTUVWXY34679';
const length = 12;

/** Bytes from here on are thrown away: with them the first letters would come up more often. */
const fair = 256 - (256 % alphabet.length);

export function randomCodes(count: number): string[] {
  const letters = randomLetters(count * length);
  return Array.from({ length: count }, (_, i) => letters.slice(i * length, (i + 1) * length));
}

function randomLetters(count: number): string {
  let letters = '';
  while (letters.length < count) {
    for (const byte of randomBytes(count - letters.length)) if (byte < fair) letters += alphabet[byte % alphabet.length];
  }
  return letters;
}
