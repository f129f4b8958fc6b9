import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { selectProviderSecret } from './notices.sql.ts';
import { recordChargeEvents, takeDueCharges } from './providers/sandbox.sql.ts';
import { type ChargeEvent, eventsOf } from './providers/sandbox.ts';
import { type Notice, provider, receiveNotices, signatureOf } from './receive-notices.ts';

const batchSize = 500;

/** Simulates the buyers of due charges: records their payments and sends the notices of a provider. Returns the number of charges. */
export async function runSandbox(tx: Tx, act: Act): Promise<number> {
  const due = await takeDueCharges(tx, act.at, batchSize);
  if (due.length === 0) return 0;
  const secret = await selectProviderSecret(tx, provider);
  const simulated = due.map((charge) => ({ ...charge, events: eventsOf(charge) }));
  const results = simulated.flatMap(({ reference, events }) => events.slice(0, 1).map((event) => ({ ...event, reference })));
  const notified = simulated.filter(({ outcome }) => outcome !== 'lost');
  await recordChargeEvents(tx, act.at, results);
  await receiveNotices(
    tx,
    act,
    notified.flatMap(({ reference, events }) => events.map((event) => noticeOf(secret, reference, event, act.at))),
  );
  return due.length;
}

export function noticeOf(secret: string, reference: string, event: ChargeEvent, at: Date): Notice {
  const body = { ...event, reference, at: at.toISOString() };
  const text = JSON.stringify(body);
  return { body, signed: { text, signature: signatureOf(secret, text) } };
}
