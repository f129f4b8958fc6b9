import type { Tx } from '../postgres/database.ts';
import { people } from './people.ts';

export async function isEmpty(tx: Tx): Promise<boolean> {
  const anyone = await tx.selectFrom('app_user').select('id').limit(1).executeTakeFirst();
  return anyone === undefined;
}

export async function hasDemo(tx: Tx): Promise<boolean> {
  const admin = await tx.selectFrom('app_user').select('id').where('email', '=', people.admin.email).executeTakeFirst();
  return admin !== undefined;
}

export async function selectPasswordHashes(tx: Tx, emails: readonly string[]): Promise<{ email: string; password_hash: string | null }[]> {
  return tx
    .selectFrom('app_user')
    .select(['email', 'password_hash'])
    .where('email', 'in', emails)
    .where('disabled_at', 'is', null)
    .execute();
}
