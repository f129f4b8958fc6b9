import type { Tx } from '../postgres/database.ts';
import {
  disabledGuards,
  eventsWithoutRows,
  itemsAgainstGroups,
  keysWithoutResponse,
  producersWithoutOwner,
  signingKeyCount,
} from './checks.sql.ts';
import { disputesAgainstLedger, disputesAgainstRefunds, ticketsAgainstDisputes } from './disputes.sql.ts';
import { codesAgainstAdmissions, repeatedScans, statesAgainstLog } from './door.sql.ts';
import {
  failedNotices,
  failedRefunds,
  feesAgainstLedger,
  noticesAgainstPayments,
  paymentsAgainstSandbox,
  paymentsAgainstTickets,
  refundsAgainstPayments,
  returnsAgainstLedger,
} from './payments.sql.ts';
import {
  entriesAgainstAdmissions,
  feesAgainstReports,
  quartersAgainstLines,
  salesAgainstLedger,
  salesAgainstLines,
} from './reports.sql.ts';
import {
  codesAgainstTickets,
  countersAgainstLines,
  ledgerAgainstLines,
  linesAgainstEntries,
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
  /** Returns one line per difference. The array is empty if the check passes. */
  find(tx: Tx): Promise<string[]>;
}

/** Compares single orders only if the sums over all orders differ. */
const unlessSumsMatch =
  (fits: (tx: Tx) => Promise<boolean>, find: Check['find']): Check['find'] =>
  async (tx) => {
    if (await fits(tx)) return [];
    const found = await find(tx);
    return found.length > 0 ? found : ['the sums over all orders differ, but no single order does'];
  };

/** The checks of `tessera audit`. Each check is true at any time in a correct database. */
export const checks: Check[] = [
  { name: 'constraints, indexes and triggers are valid and enabled', find: disabledGuards },
  { name: 'exactly one signing key is active', find: signingKeyCount },
  { name: 'every idempotency key has a response', find: keysWithoutResponse },
  { name: 'every producer with events has an owner', find: producersWithoutOwner },
  { name: 'every event has its rows in door and ticket_log', find: eventsWithoutRows },
  { name: 'the counters of a group equal the sums of its items', find: itemsAgainstGroups },
  { name: 'the counters of items, sale periods, sessions and passkeys match the orders', find: countersAgainstLines },
  { name: 'the counts of networks match their held orders', find: networksAgainstOrders },
  { name: 'the waiting list counts the tickets that its people wait for', find: linesAgainstEntries },
  { name: 'every paid ticket was issued, and is valid until it is refunded', find: unlessSumsMatch(ticketsFitLines, ticketsAgainstLines) },
  { name: 'the sessions and holder of a ticket match its order', find: unlessSumsMatch(ticketsRepeatOrders, ticketsAgainstOrders) },
  { name: 'every assigned code is on one ticket', find: codesAgainstTickets },
  { name: 'the total of an order equals the sum of its lines', find: unlessSumsMatch(totalsFitLines, totalsAgainstLines) },
  { name: 'approved payments equal the totals of approved orders', find: unlessSumsMatch(paymentsFitOrders, paymentsAgainstOrders) },
  { name: 'every payment has tickets or a refund', find: unlessSumsMatch(paymentsFitTickets, paymentsAgainstTickets) },
  { name: 'money returned without tickets is in the ledger', find: returnsAgainstLedger },
  { name: 'money that goes back has refunds', find: refundsAgainstPayments },
  { name: 'no refund has failed', find: failedRefunds },
  { name: 'the fees of providers are in the ledger', find: feesAgainstLedger },
  { name: 'disputes and their fees are in the ledger', find: disputesAgainstLedger },
  { name: 'no money of an open dispute was refunded too', find: disputesAgainstRefunds },
  { name: 'tickets show whether their payment is disputed', find: ticketsAgainstDisputes },
  { name: 'settled payments match the records of the provider', find: paymentsAgainstSandbox },
  { name: 'the payments match the notices that were applied', find: noticesAgainstPayments },
  { name: 'no payment notice has failed', find: failedNotices },
  { name: 'the ledger matches the tickets sold and not refunded, to the cent', find: unlessSumsMatch(ledgerFitsLines, ledgerAgainstLines) },
  { name: 'every scan is in the log once', find: repeatedScans },
  { name: 'the states of scans match the log: entries and exits that count, all others double or unmatched', find: statesAgainstLog },
  { name: 'a code has status used if and only if somebody was admitted with it', find: codesAgainstAdmissions },
  { name: 'reports show the sales of the orders', find: salesAgainstLines },
  { name: 'reports show when orders were placed and paid', find: quartersAgainstLines },
  { name: 'reports show the amounts of the ledger', find: salesAgainstLedger },
  { name: 'reports show the fees and disputes of the ledger', find: feesAgainstReports },
  { name: 'reports show the entries of the admissions', find: entriesAgainstAdmissions },
];
