import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { selectProviderSecret } from './notices.sql.ts';
import { bookEvents, takeActing } from './providers/sandbox.sql.ts';
import { type ChargeEvent, eventsOf } from './providers/sandbox.ts';
import { type Notice, provider, receiveNotices, signatureOf } from './receive-notices.ts';

const mostAtOnce = 500;

/** The sandbox plays the buyers whose time has come: into its books, and told as a provider would tell it. Answers how many. */
export async function runSandbox(tx: Tx, act: Act): Promise<number> {
  const acting = await takeActing(tx, act.at, mostAtOnce);
  if (acting.length === 0) return 0;
  const secret = await selectProviderSecret(tx, provider);
  const played = acting.map((charge) => ({ ...charge, events: eventsOf(charge) }));
  const settled = played.flatMap(({ reference, events }) => events.slice(0, 1).map((event) => ({ ...event, reference })));
  const told = played.filter(({ outcome }) => outcome !== 'lost');
  await bookEvents(tx, act.at, settled);
  await receiveNotices(
    tx,
    act,
    told.flatMap(({ reference, events }) => events.map((event) => noticeOf(secret, reference, event, act.at))),
  );
  return acting.length;
}

export function noticeOf(secret: string, reference: string, event: ChargeEvent, at: Date): Notice {
  const body = { ...event, reference, at: at.toISOString() };
  const text = JSON.stringify(body);
  return { body, signed: { text, signature: signatureOf(secret, text) } };
}
