import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { recordChargeEvents, takeDueCharges } from './providers/sandbox/sandbox.sql.ts';
import { noticeOf } from './providers/sandbox/sandbox.ts';
import { eventsOf } from './providers/sandbox/simulated-buyer.ts';
import { storeNotices } from './receive-notices.ts';

const batchSize = 500;

/** Simulates the buyers of due charges: records their payments and sends the notices of a provider. Returns the number of charges. */
export async function runSandbox(tx: Tx, { at }: Act): Promise<number> {
  const due = await takeDueCharges(tx, at, batchSize);
  if (due.length === 0) return 0;
  const simulated = due.map((charge) => ({ ...charge, events: eventsOf(charge) }));
  const results = simulated.flatMap(({ reference, events }) => events.slice(0, 1).map((event) => ({ ...event, reference })));
  await recordChargeEvents(tx, at, results);
  const notices = simulated
    .filter(({ outcome }) => outcome !== 'lost')
    .flatMap(({ reference, events }) => events.map((event) => noticeOf(reference, event)));
  await storeNotices(
    tx,
    at,
    'sandbox',
    notices.map((notice) => ({ notice, raw: JSON.stringify(notice) })),
  );
  return due.length;
}
