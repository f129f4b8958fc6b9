import { currentSigningKey, ensureSigningKey, sealSigningKeys } from '../accounts/signing-keys.ts';
import { ConfigError } from '../config.ts';
import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { CannotOpen } from '../postgres/secrets.ts';
import { checkTicketKeys, sealTicketKeys } from '../tickets/ticket-keys.ts';

/** Seals the keys that an earlier release left in the clear, makes the first signing key, and refuses a SECRET_KEY that opens nothing. */
export async function prepareKeys(tx: Tx, act: Act): Promise<void> {
  await sealSigningKeys(tx, 'plain');
  await sealTicketKeys(tx, 'plain');
  await ensureSigningKey(tx, act);
  try {
    await currentSigningKey(tx);
    await checkTicketKeys(tx);
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error;
    throw new ConfigError(
      'SECRET_KEY (or DATA_DIR/secret-key) is not the key that this database was sealed with. Start with the right one. ' +
        'To replace a key that you still have, run: tessera keys reseal. If it is lost, run: tessera keys revoke --tickets',
    );
  }
}
