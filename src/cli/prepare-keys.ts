import { currentSigningKey, ensureSigningKey } from '../accounts/signing-keys.ts';
import { ConfigError } from '../config/read-setting.ts';
import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { DecryptionError } from '../postgres/secrets.ts';
import { checkTicketKeys } from '../tickets/ticket-keys.ts';

/** Creates the first signing key, and checks that SECRET_KEY decrypts the keys. */
export async function prepareKeys(tx: Tx, act: Act): Promise<void> {
  await ensureSigningKey(tx, act);
  try {
    await currentSigningKey(tx);
    await checkTicketKeys(tx);
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    throw new ConfigError(
      'SECRET_KEY (or DATA_DIR/secret-key) does not decrypt the keys in this database. Start with the key that encrypted them. ' +
        'To replace a key that you still have, run: tessera keys reseal. If it is lost, run: tessera keys revoke --tickets',
    );
  }
}
