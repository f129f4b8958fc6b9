// S8: the throughput of check-ins for a sold-out event, with 50 tickets per request, compared with the combined limit: bare Fastify that
// verifies the signatures and echoes the same requests, and plain SQL that writes the same rows.
import { createPublicKey } from 'node:crypto';
import { systemAct } from '../src/kernel/act.ts';
import { connect } from '../src/postgres/database.ts';
import { inTransaction } from '../src/postgres/transaction.ts';
import { signTickets } from '../src/tickets/ticket-code.ts';
import { ensureTicketKey } from '../src/tickets/ticket-keys.ts';
import { testSecrets } from '../test/secret-key.ts';
import { combine } from './combined-limit.ts';
import { compare, throughputRatio } from './compare.ts';
import { withControlServer } from './control-server.ts';
import type { SentKey } from './echo-server.ts';
import { type Load, load } from './load.ts';
import type { Measure } from './measure.ts';
import { writeCheckins } from './plain-checkins.ts';
import { behindProxy, checkinRequests } from './requests.ts';
import { type MeasuredService, profiling, withService } from './service.ts';
import { openShop, type Shop } from './shop.ts';
import { sellTickets } from './sold-tickets.ts';

const batch = 50;
const hourMs = 3_600_000;

const toUtc = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

interface DoorEvent {
  eventId: number;
  /** Requests that check in all tickets of the event. */
  requests: string[];
  key: SentKey;
}

/** Creates an event whose doors are open, and sells its tickets. */
export async function createDoorEvent(service: MeasuredService, shop: Shop, tickets: number): Promise<number> {
  const session = { start: toUtc(Date.now() - hourMs), finish: toUtc(Date.now() + 3 * hourMs) };
  const sale = await shop.createEvent({ timezone: 'UTC', session });
  await sellTickets(service, sale, tickets);
  return sale.eventId;
}

/** Returns requests with the signed codes of all tickets. They are shuffled, because people do not arrive in the order in which they bought. */
export async function signedRequests({ query, databaseUrl }: MeasuredService, shop: Shop, eventId: number): Promise<DoorEvent> {
  const { db, close } = connect({ url: databaseUrl, max: 1, secrets: testSecrets, onError: () => undefined });
  try {
    const key = await inTransaction(db, {}, (tx) => ensureTicketKey(tx, systemAct('bench', new Date()), eventId));
    const rows = await query<{ id: string }>('select id from ticket where event_id = $1', [eventId]);
    const place = (id: number) => (id * 7919) % 10_007;
    const ids = rows.map(({ id }) => Number(id)).toSorted((a, b) => place(a) - place(b));
    const codes = [...(await signTickets(key, ids)).values()];
    const pem = createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' }) as string;
    const requests = checkinRequests(eventId, codes, { batch, token: await shop.token() });
    return { eventId, requests, key: { eventId, kid: key.kid, pem } };
  } finally {
    await close();
  }
}

async function sendKey(port: number, key: SentKey): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { ok } = await fetch(`http://127.0.0.1:${port}/key`, { method: 'POST', headers, body: JSON.stringify(key) });
  if (!ok) throw new Error('The echo server did not accept the key');
}

export async function sendAll(port: number, requests: readonly string[]): Promise<Load> {
  let next = 0;
  const result = await load({ port, nextRequest: () => requests[next++] ?? null, ms: 120_000 });
  if (result.statuses[200] !== requests.length) throw new Error(`Not every request returned 200: ${JSON.stringify(result.statuses)}`);
  return result;
}

/** Each round has its own events, because a ticket can be checked in only once. */
export const measureCheckins: Measure = ({ rounds, quick, progress, profile }) =>
  withService({ environment: behindProxy, nodeOptions: profiling(profile) }, (service) =>
    withControlServer('echo-server.ts', 'makeCheckins', async (echoPort) => {
      const tickets = quick ? 10_000 : 100_000;
      const shop = openShop(service);
      let requests: string[] = [];
      const control = async () => {
        progress(`S8: filling ${tickets} tickets twice`);
        const plainEvent = await createDoorEvent(service, shop, tickets);
        const event = await signedRequests(service, shop, await createDoorEvent(service, shop, tickets));
        requests = event.requests;
        progress('S8');
        await sendKey(echoPort, event.key);
        const echo = await sendAll(echoPort, requests);
        return combine(echo, await writeCheckins(service, plainEvent, { tickets, perRequest: batch }));
      };
      const compared = await compare({ rounds, control, ours: () => sendAll(service.port, requests), ratio: throughputRatio });
      return { S8: { ...compared, tickets, checkinsPerSecond: compared.ours.perSecond * batch } };
    }),
  );
