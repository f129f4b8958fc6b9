import { itemTypes } from './item-schemas.ts';

export type ItemType = (typeof itemTypes)[number];

const typeDescriptions: Record<ItemType, { name: string; description: string }> = {
  ticket: { name: 'Ticket', description: 'Admits one person to one session' },
  group: { name: 'Group', description: 'Contains items that share one quantity' },
  passport: { name: 'Passport', description: 'Admits one person to all of its sessions' },
  courtesy: { name: 'Courtesy', description: 'Free, for guests' },
  external: { name: 'External', description: 'Sold by another service; admitted by imported codes' },
};

export const listTypes = () => itemTypes.map((id) => ({ id, ...typeDescriptions[id] }));
