import type { Act } from '../kernel/act.ts';

/** A person as the inviter typed them. */
export interface Invitation {
  email: string;
  name: string;
}

/** Case is not part of an address as people use it. */
export const normalEmail = (email: string): string => email.trim().toLowerCase();

export function toInvitation({ email, name }: { email: string; name?: string }): Invitation {
  const normal = normalEmail(email);
  return { email: normal, name: name ?? normal.slice(0, Math.min(normal.indexOf('@'), 200)) };
}

/**
 * A new member is shown as the inviter typed them until they have signed in, so that nobody learns whose account an address has.
 * Commands and platform admins may read all accounts anyway: whom they add is shown at once.
 */
export function invitationBy({ actor }: Act, person: { email: string; name?: string }): Invitation | null {
  return actor.kind === 'user' && !actor.admin ? toInvitation(person) : null;
}
