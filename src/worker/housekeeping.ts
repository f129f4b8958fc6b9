import { forgetExpiredLogins } from '../accounts/forget-expired.ts';
import { forgetOldKeys } from '../http/idempotency.ts';
import type { Act } from '../kernel/act.ts';
import { eraseOldMails, forgetMailCounts } from '../platform/mail/outbox.ts';
import type { Tx } from '../postgres/database.ts';
import { tryLock } from '../postgres/transaction.ts';

const housekeepingLock = 7_355_773;

/** Removes what has run out. One process at a time; the others find nothing to do and answer null. */
export async function keepHouse(tx: Tx, { at }: Act): Promise<Record<string, number> | null> {
  if (!(await tryLock(tx, housekeepingLock))) return null;
  return {
    ...(await forgetExpiredLogins(tx, at)),
    idempotencyKeys: await forgetOldKeys(tx, at),
    mails: await eraseOldMails(tx, at),
    mailCounts: await forgetMailCounts(tx, at),
  };
}
