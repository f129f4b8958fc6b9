import { isAllowed, type Scope } from '../accounts/roles.ts';
import type { Actor } from '../kernel/act.ts';

/**
 * Whether the actor may see the e-mail addresses and documents of guests, and search by them. Other readers of the guest list, such as the
 * entrance staff, do not get these fields. The guest list and its export both use this rule.
 */
export const maySeePersonalData = (actor: Actor, scope: Scope): boolean => isAllowed(actor, 'order.read', scope);
