import { randomBytes } from 'node:crypto';
import { passwordMatches } from '../accounts/passwords.ts';
import { ConfigError } from '../config/read-setting.ts';
import type { Config } from '../config.ts';
import type { Tx } from '../postgres/database.ts';
import { selectPasswordHashes } from './people.sql.ts';
import { type DemoPerson, demoPassword, people } from './people.ts';

/** The passwords of the demo accounts, by e-mail address. */
export type DemoPasswords = ReadonlyMap<string, string>;

const everyone: readonly DemoPerson[] = Object.values(people);

/** Returns random passwords for a public demo, and the published password for a demo that only this machine can reach. */
export function demoPasswords({ demo, exposedBy }: Pick<Config, 'demo' | 'exposedBy'>): DemoPasswords {
  if (demo !== 'public' && exposedBy !== null) {
    throw new ConfigError(
      `DEMO=${demo} would load demo accounts with a published password, but ${exposedBy} is public. ` +
        'Set DEMO=off for a real installation, or DEMO=public for a public demo with random passwords',
    );
  }
  const newPassword = () => (demo === 'public' ? randomBytes(15).toString('base64url') : demoPassword);
  return new Map(everyone.map(({ email }) => [email, newPassword()]));
}

/** Refuses to start on a public address while demo accounts still have the published password. */
export async function refusePublishedPasswords(tx: Tx, { exposedBy }: Pick<Config, 'exposedBy'>): Promise<void> {
  if (exposedBy === null) return;
  const rows = await selectPasswordHashes(
    tx,
    everyone.map(({ email }) => email),
  );
  const unsafe: string[] = [];
  for (const { email, password_hash } of rows) if (await passwordMatches(demoPassword, password_hash)) unsafe.push(email);
  if (unsafe.length === 0) return;
  throw new ConfigError(
    `The demo accounts ${unsafe.join(', ')} have the published password, but ${exposedBy} is public. ` +
      'Set another password for each with: tessera user password EMAIL, or start with another database',
  );
}
