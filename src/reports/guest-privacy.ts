import { isAllowed, type Scope } from '../accounts/roles.ts';
import type { Actor } from '../kernel/act.ts';

/**
 * Who sees e-mail addresses and documents of guests, and may search by them. Everybody else who may read the guest list, such as the staff at
 * the entrance, sees names and items. The guest list and its export both ask here; the door manifest has no personal data at all.
 */
export const maySeePersonalData = (actor: Actor, scope: Scope): boolean => isAllowed(actor, 'order.read', scope);
