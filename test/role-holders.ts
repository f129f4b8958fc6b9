import { crewRoles, type Permission } from '../src/kernel/access.ts';
import type { Caller } from './world.ts';

const crew = crewRoles.map((role): Caller => `crew_${role}`);

/** The callers that have each permission in their own producer or event. It repeats the rules of the code on purpose, to check them. */
export const holders: Record<Permission, Caller[]> = {
  'producer.read': ['owner', 'manager'],
  'producer.manage': ['owner', 'manager'],
  'members.read': ['owner', 'manager'],
  'members.manage': ['owner'],
  'event.read': ['owner', 'manager', ...crew],
  'event.manage': ['owner', 'manager', 'crew_admin'],
  'crew.read': ['owner', 'manager', 'crew_admin', 'crew_sales_manager', 'crew_entrance_manager'],
  'crew.manage': ['owner', 'manager', 'crew_admin'],
  'item.read': ['owner', 'manager', ...crew],
  'item.manage': ['owner', 'manager', 'crew_admin', 'crew_sales_manager'],
  'passkey.read': ['owner', 'manager', 'crew_admin', 'crew_sales_manager', 'crew_sales_operator'],
  'passkey.manage': ['owner', 'manager', 'crew_admin', 'crew_sales_manager'],
  'order.read': ['owner', 'manager', 'crew_admin', 'crew_sales_manager', 'crew_sales_operator'],
  'order.sell': ['owner', 'manager', 'crew_admin', 'crew_sales_manager', 'crew_sales_operator'],
  'order.refund': ['owner', 'manager', 'crew_admin', 'crew_sales_manager'],
  'code.read': ['owner', 'manager', 'crew_admin', 'crew_sales_manager', 'crew_entrance_manager'],
  'code.manage': ['owner', 'manager', 'crew_admin', 'crew_sales_manager'],
  'checkin.read': ['owner', 'manager', 'crew_admin', 'crew_sales_manager', 'crew_entrance_manager'],
  'checkin.make': ['owner', 'manager', 'crew_admin', 'crew_entrance_manager', 'crew_entrance_operator'],
  'device.manage': ['owner', 'manager', 'crew_admin', 'crew_entrance_manager'],
  'guest.search': ['owner', 'manager', 'crew_admin', 'crew_sales_manager', 'crew_entrance_manager'],
  'guest.read': ['owner', 'manager', 'crew_admin', 'crew_sales_manager', 'crew_entrance_manager', 'crew_entrance_operator'],
  'report.read': ['owner', 'manager', 'crew_admin', 'crew_sales_manager'],
  'export.request': ['owner', 'manager', 'crew_admin', 'crew_sales_manager', 'crew_entrance_manager'],
  'webhook.manage': ['owner', 'manager'],
};
