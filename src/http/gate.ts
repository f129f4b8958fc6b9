import type { Access, Permission, ScopeKind, ScopeSource } from '../kernel/access.ts';
import type { Actor, Anonymous, Device, User } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';

/** Authentication and authorization. `accounts/` implements this interface. */
export interface Gate {
  /** Throws for an invalid token. Returns an anonymous actor when there is no token. */
  authenticate(authorization: string | undefined, at: Date): Promise<User | Device | Anonymous>;
  /** `hidden` means that the object does not exist, or that the caller must not know about the object. */
  authorize(user: User, permission: Permission, kind: ScopeKind, id: number): Promise<'allowed' | 'forbidden' | 'hidden'>;
}

/**
 * Checks that the caller is signed in, is an admin, or does not use an API token, as `access` requires. `checkPermission` checks
 * permissions on objects.
 */
export function checkCaller(access: Access, actor: Actor): void {
  if (actor.kind === 'device') return requireForDevices(access);
  if (access.to === 'anyone') return;
  if (actor.kind !== 'user') {
    throw new Problem('not_authenticated', 'Send an access token in the header "Authorization: Bearer TOKEN".', {
      headers: { 'www-authenticate': 'Bearer realm="tessera"' },
    });
  }
  if (access.to === 'admin' && (!actor.admin || actor.token)) throw new Problem('forbidden', 'Only platform admins may do this.');
  if (access.to === 'signedIn' && access.as === 'user' && actor.token) {
    throw new Problem('forbidden', 'API tokens may not do this. Log in with e-mail and password.');
  }
}

/** A lost device must be of little use, so its token opens nothing but the door. Not even what anonymous callers may do. */
function requireForDevices(access: Access): void {
  if (access.to !== 'permitted' || !access.orDevice)
    throw new Problem('forbidden', 'The token of a device may only check in tickets of its event. Log in with e-mail and password.');
}

/** Checks the permission on every object that the request names. Values that are not ids are skipped, because validation reports them. */
export async function checkPermission(gate: Gate, access: Access, actor: Actor, parts: Record<ScopeSource['in'], unknown>): Promise<void> {
  if (access.to !== 'permitted' || (actor.kind !== 'user' && actor.kind !== 'device')) return;
  for (const { kind, in: place, field } of access.on) {
    const id = toId((parts[place] as Record<string, unknown> | null | undefined)?.[field]);
    if (actor.kind === 'device') {
      if (kind !== 'event' || id !== actor.eventId) throw new Problem('forbidden', 'This device belongs to another event.');
      continue;
    }
    if (id === null && place !== 'path') continue;
    const verdict = id === null ? 'hidden' : await gate.authorize(actor, access.permission, kind, id);
    if (verdict === 'hidden') throw new Problem('not_found');
    if (verdict === 'forbidden') throw new Problem('forbidden', `This operation needs the permission ${access.permission}.`);
  }
}

function toId(value: unknown): number | null {
  const id = typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null;
}
