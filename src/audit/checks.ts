import type { Tx } from '../postgres/database.ts';
import { disabledGuards, eventsOfNobody, itemsAgainstGroups, signingKeyCount, unansweredKeys } from './checks.sql.ts';

export interface Check {
  name: string;
  /** One line a difference; none when all is well. */
  find(tx: Tx): Promise<string[]>;
}

/** What must hold at any time, whatever happened. Each looks at the whole database in one statement. */
export const checks: Check[] = [
  { name: 'constraints, indexes and triggers are valid and switched on', find: disabledGuards },
  { name: 'one key signs', find: signingKeyCount },
  { name: 'every idempotency key has its answer', find: unansweredKeys },
  { name: 'every producer with events has an owner', find: eventsOfNobody },
  { name: 'a group has sold and holds what its items have', find: itemsAgainstGroups },
];
