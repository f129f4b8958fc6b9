import { checkPermission, type Scope } from '../accounts/roles.ts';
import type { Permission } from '../kernel/access.ts';
import type { User } from '../kernel/act.ts';
import { maySeePersonalData } from '../reports/guest-privacy.ts';
import { exportTypes } from './contract.ts';
import type { ExportRow, VisibleExports } from './exports.sql.ts';
import type { ExportType } from './filters.ts';

/** The permission to read the same list in the API. */
const shows: Record<ExportType, Permission> = { transactions: 'order.read', passkey: 'passkey.read', guestlist: 'guest.read' };

/** The permission that a user lacks for exports of this type; null if there is none. The limits of an API token count. */
export const lackedPermission = (user: User, type: ExportType, scope: Scope): Permission | null =>
  (['export.request', shows[type]] as const).find((permission) => checkPermission(user, permission, scope) !== 'allowed') ?? null;

/** Which exports of an event somebody may see. */
export const visibleExports = (user: User, scope: Scope): VisibleExports => ({
  types: exportTypes.filter((type) => lackedPermission(user, type, scope) === null),
  personal: maySeePersonalData(user, scope),
});

/** Asked whenever an export is read or its file is downloaded, with the roles of that moment. */
export function maySeeExport(user: User, row: Pick<ExportRow, 'type' | 'personal' | 'event_id' | 'producer_id'>): boolean {
  const { types, personal } = visibleExports(user, { producerId: row.producer_id, eventId: row.event_id });
  return types.includes(row.type) && (personal || !row.personal);
}
