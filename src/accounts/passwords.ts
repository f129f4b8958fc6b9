import { hash, verify } from '@node-rs/argon2';

/** Argon2id with the minimum memory that OWASP recommends: about 20 ms on one core, so that many log-ins do not slow down sales. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, cost);

/** A hash of a random password. Comparing a password with this hash takes as long as with a real hash. */
let decoy: Promise<string> | undefined;

/** Takes the same time whether the account has a password, has none, or does not exist. So the time does not reveal which accounts exist. */
export async function passwordMatches(password: string, passwordHash: string | null): Promise<boolean> {
  decoy ??= hashPassword(crypto.randomUUID());
  const matched = await verify(passwordHash ?? (await decoy), password);
  return matched && passwordHash !== null;
}
