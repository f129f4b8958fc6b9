import { type CrewRole, type Permission, type ProducerRole, permissions } from './access.ts';

const everything: ReadonlySet<Permission> = new Set(permissions);
const allExcept = (...kept: Permission[]): ReadonlySet<Permission> =>
  new Set(permissions.filter((permission) => !kept.includes(permission)));

/** The permissions of each role in a producer. The console reads the same tables, so that it shows what the role may do. */
export const ofProducerRole: Record<ProducerRole, ReadonlySet<Permission>> = {
  owner: everything,
  manager: allExcept('members.manage'),
};

/** The permissions of each role in the crew of an event. */
export const ofCrewRole: Record<CrewRole, ReadonlySet<Permission>> = {
  admin: allExcept('producer.read', 'producer.manage', 'members.read', 'members.manage', 'webhook.manage'),
  sales_manager: allExcept(
    'producer.read',
    'producer.manage',
    'members.read',
    'members.manage',
    'event.manage',
    'crew.manage',
    'checkin.make',
    'device.manage',
    'webhook.manage',
  ),
  sales_operator: new Set<Permission>(['event.read', 'item.read', 'passkey.read', 'order.read', 'order.sell']),
  entrance_manager: new Set<Permission>([
    'event.read',
    'crew.read',
    'item.read',
    'code.read',
    'checkin.read',
    'checkin.make',
    'device.manage',
    'export.request',
    'guest.read',
    'guest.search',
  ]),
  entrance_operator: new Set<Permission>(['event.read', 'item.read', 'checkin.make', 'guest.read']),
};
