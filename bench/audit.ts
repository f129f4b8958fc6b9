// A1: the duration of the audit of a million orders, compared with reading every row of the same tables once.
import { liftLimits } from '../src/audit/checks.sql.ts';
import { checks } from '../src/audit/checks.ts';
import { connect, type Database } from '../src/postgres/database.ts';
import { inTransaction } from '../src/postgres/transaction.ts';
import { testSecrets } from '../test/secret-key.ts';
import { compare, costRatio, secondsOf } from './compare.ts';
import type { Measure } from './measure.ts';
import { withService } from './service.ts';
import { openShop } from './shop.ts';
import { sellTickets } from './sold-tickets.ts';

const tables = ['ticket_order', 'order_line', 'ticket', 'payment', 'ledger_posting'];

/** Throws an error if the audit finds a difference. */
export const auditAll = (db: Database) =>
  inTransaction(db, { readOnly: true, isolation: 'repeatable read' }, async (tx) => {
    await liftLimits(tx);
    for (const check of checks) {
      const [difference] = await check.find(tx);
      if (difference !== undefined) throw new Error(`The audit found a difference. ${check.name}: ${difference}`);
    }
  });

/** The worker does not run, because it would use CPU time during the measurement. */
const withoutWorker = { SERVE: 'event,ticket,shop,account' };

export const measureAudit: Measure = ({ rounds, quick, progress }) =>
  withService({ environment: withoutWorker }, async (service) => {
    const orders = quick ? 10_000 : 1_000_000;
    progress(`A1: filling ${orders} orders`);
    await sellTickets(service, await openShop(service).createEvent(), orders);
    progress('A1');
    const { db, close } = connect({ url: service.databaseUrl, max: 1, secrets: testSecrets, onError: () => undefined });
    try {
      const compared = await compare({
        rounds,
        ours: () => secondsOf(() => auditAll(db)),
        control: () =>
          secondsOf(async () => {
            for (const table of tables) await service.query(`select sum(hashtext(r::text)) from ${table} r`);
          }),
        ratio: costRatio,
      });
      return { A1: { ...compared, orders } };
    } finally {
      await close();
    }
  });
