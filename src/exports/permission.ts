import type { FindScope } from '../accounts/gate.ts';
import { checkPermission, type Scope } from '../accounts/roles.ts';
import { findScopeOf } from '../events/event-of.ts';
import type { Permission } from '../kernel/access.ts';
import type { User } from '../kernel/act.ts';
import { maySeePersonalData } from '../reports/guest-privacy.ts';
import { exportTypes } from './contract.ts';
import type { ExportRow, VisibleExports } from './exports.sql.ts';
import type { ExportType } from './filters.ts';

/** The permission that each type of export needs: the one to read the same data in the API. */
const readPermission: Record<ExportType, Permission> = { transactions: 'order.read', passkey: 'passkey.read', guestlist: 'guest.read' };

/** Returns the first permission that the user lacks for exports of this type, or null. The limits of an API token apply. */
export const missingPermission = (user: User, type: ExportType, scope: Scope): Permission | null =>
  (['export.request', readPermission[type]] as const).find((permission) => checkPermission(user, permission, scope) !== 'allowed') ?? null;

export const visibleExports = (user: User, scope: Scope): VisibleExports => ({
  types: exportTypes.filter((type) => missingPermission(user, type, scope) === null),
  personal: maySeePersonalData(user, scope),
});

/** Whether the user may see the export. Every read and every download calls this with the current roles of the user. */
export function maySeeExport(user: User, row: Pick<ExportRow, 'type' | 'personal' | 'event_id' | 'producer_id'>): boolean {
  const { types, personal } = visibleExports(user, { producerId: row.producer_id, eventId: row.event_id });
  return types.includes(row.type) && (personal || !row.personal);
}

export const findExportScope: FindScope = findScopeOf('export');
