import type { Act, User } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { getMe } from './session.ts';
import type { Me } from './sign-in-contract.ts';
import { updateUser } from './users.ts';

/** Users change only their name by themselves. The e-mail is how they log in and get their mails, so an admin changes it. */
export async function updateMe(tx: Tx, act: Act<User>, { name }: { name: string }): Promise<Me> {
  const { id, email, admin } = act.actor;
  await updateUser(tx, act, id, { name });
  return getMe(tx, { id, email, name, admin });
}
