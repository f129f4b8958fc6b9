import type { Tx } from '../postgres/database.ts';
import { disabledGuards, eventsOfNobody, itemsAgainstGroups, signingKeyCount, unansweredKeys } from './checks.sql.ts';
import { admissionsAgainstLog, codesAgainstAdmissions, doublesAgainstLog } from './door.sql.ts';
import {
  codesAgainstTickets,
  itemsAgainstLines,
  ledgerAgainstLines,
  passkeysAgainstLines,
  paymentsAgainstOrders,
  periodsAgainstLines,
  sessionsAgainstLines,
  ticketsAgainstLines,
  totalsAgainstLines,
} from './selling.sql.ts';

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
  { name: 'an item has sold and holds what its orders say', find: itemsAgainstLines },
  { name: 'a sale period has sold and holds what the orders of its channel say', find: periodsAgainstLines },
  { name: 'a session has as many places taken as orders say', find: sessionsAgainstLines },
  { name: 'a passkey has opened what its orders say', find: passkeysAgainstLines },
  { name: 'every paid unit has its ticket, valid until it is refunded', find: ticketsAgainstLines },
  { name: 'every code that was handed out is on one ticket', find: codesAgainstTickets },
  { name: 'an order costs what its lines cost', find: totalsAgainstLines },
  { name: 'what was paid is what approved orders cost', find: paymentsAgainstOrders },
  { name: 'the ledger has moved what was sold and not refunded, to the cent', find: ledgerAgainstLines },
  { name: 'inside is who the log of scans says, each once', find: admissionsAgainstLog },
  { name: 'every other good scan is a double entry', find: doublesAgainstLog },
  { name: 'a code is used where somebody is inside by it', find: codesAgainstAdmissions },
];
