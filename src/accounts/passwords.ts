import { hash, verify } from '@node-rs/argon2';

/** Argon2id with OWASP's minimum of memory: about 20 ms on one core, so that a log-in storm does not starve the shop. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, cost);

/** A hash that no password has; comparing with it takes as long as with any other. */
let decoy: Promise<string> | undefined;

/** Takes the same time whether the account has a password, has none, or does not exist. */
export async function passwordMatches(password: string, passwordHash: string | null): Promise<boolean> {
  decoy ??= hashPassword(crypto.randomUUID());
  const matched = await verify(passwordHash ?? (await decoy), password);
  return matched && passwordHash !== null;
}
