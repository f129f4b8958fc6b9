import { randomBytes } from 'node:crypto';
import { toBase32 } from '../tickets/base32.ts';

/** Our name of a payment or refund at its provider. PIX allows at most 25 letters and digits. It is random, so that it cannot be guessed. */
export const newReference = (): string => toBase32(randomBytes(15));
