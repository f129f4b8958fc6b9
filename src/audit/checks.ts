import type { Tx } from '../postgres/database.ts';
import { disabledGuards, eventsOfNobody, itemsAgainstGroups, signingKeyCount, unansweredKeys } from './checks.sql.ts';
import { codesAgainstAdmissions, repeatedScans, statesAgainstLog } from './door.sql.ts';
import {
  failedNotices,
  noticesAgainstPayments,
  paymentsAgainstSandbox,
  paymentsAgainstTickets,
  returnsAgainstLedger,
} from './payments.sql.ts';
import { entriesAgainstAdmissions, salesAgainstLedger, salesAgainstLines } from './reports.sql.ts';
import {
  codesAgainstTickets,
  countersAgainstLines,
  ledgerAgainstLines,
  networksAgainstOrders,
  paymentsAgainstOrders,
  ticketsAgainstLines,
  ticketsAgainstOrders,
  totalsAgainstLines,
} from './selling.sql.ts';
import {
  ledgerFitsLines,
  paymentsFitOrders,
  paymentsFitTickets,
  ticketsFitLines,
  ticketsRepeatOrders,
  totalsFitLines,
} from './sums.sql.ts';

export interface Check {
  name: string;
  /** One line a difference; none when all is well. */
  find(tx: Tx): Promise<string[]>;
}

/** Looks order by order only where the sums over all of them differ. */
const unless =
  (fits: (tx: Tx) => Promise<boolean>, find: Check['find']): Check['find'] =>
  async (tx) => {
    if (await fits(tx)) return [];
    const found = await find(tx);
    return found.length > 0 ? found : ['the sums over all orders differ, and no order by itself'];
  };

/** What must hold at any time, whatever happened. Each looks at the whole database. */
export const checks: Check[] = [
  { name: 'constraints, indexes and triggers are valid and switched on', find: disabledGuards },
  { name: 'one key signs', find: signingKeyCount },
  { name: 'every idempotency key has its answer', find: unansweredKeys },
  { name: 'every producer with events has an owner', find: eventsOfNobody },
  { name: 'a group has sold and holds what its items have', find: itemsAgainstGroups },
  { name: 'items, sale periods, sessions and passkeys have sold and hold what orders say', find: countersAgainstLines },
  { name: 'a network holds what its open orders hold', find: networksAgainstOrders },
  { name: 'every paid unit has its ticket, valid until it is refunded', find: unless(ticketsFitLines, ticketsAgainstLines) },
  { name: 'a ticket says of its sessions and its holder what its order says', find: unless(ticketsRepeatOrders, ticketsAgainstOrders) },
  { name: 'every code that was handed out is on one ticket', find: codesAgainstTickets },
  { name: 'an order costs what its lines cost', find: unless(totalsFitLines, totalsAgainstLines) },
  { name: 'what was paid is what approved orders cost', find: unless(paymentsFitOrders, paymentsAgainstOrders) },
  { name: 'no order is paid without tickets or refund', find: unless(paymentsFitTickets, paymentsAgainstTickets) },
  { name: 'what came and bought nothing went back through the ledger', find: returnsAgainstLedger },
  { name: 'a payment that is settled is what the provider says', find: paymentsAgainstSandbox },
  { name: 'every notice that was applied is in its payment', find: noticesAgainstPayments },
  { name: 'no payment notice has failed', find: failedNotices },
  { name: 'the ledger has moved what was sold and not refunded, to the cent', find: unless(ledgerFitsLines, ledgerAgainstLines) },
  { name: 'a scan is in the log once', find: repeatedScans },
  { name: 'of the good scans one lets in and the others are double entries, as the whole log says', find: statesAgainstLog },
  { name: 'a code is used where somebody is inside by it', find: codesAgainstAdmissions },
  { name: 'reports show what orders say was sold', find: salesAgainstLines },
  { name: 'reports show the money that the ledger has moved', find: salesAgainstLedger },
  { name: 'reports show the entries that admissions say', find: entriesAgainstAdmissions },
];
