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
import { openShop, type Sale, type Shop } from './shop.ts';
import { sellTickets } from './sold-tickets.ts';

const batch = 50;
/** Every request must succeed, also on a busy machine, because the control checks in all tickets. */
const environment = { ...behindProxy, LOAD_SHEDDING: 'off' };
const hourMs = 3_600_000;

const toUtc = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

interface DoorEvent {
  eventId: number;
  /** Requests that check in all tickets of the event. */
  requests: string[];
  key: SentKey;
}

/** Creates an event whose doors are open, and sells its tickets. */
export async function createDoorEvent(service: MeasuredService, shop: Shop, tickets: number): Promise<Sale> {
  const session = { start: toUtc(Date.now() - hourMs), finish: toUtc(Date.now() + 3 * hourMs) };
  const sale = await shop.createEvent({ timezone: 'UTC', session });
  await sellTickets(service, sale, tickets);
  return sale;
}

/** Returns the ids of the tickets of an event, in order. */
export async function ticketIds({ query }: Pick<MeasuredService, 'query'>, eventId: number): Promise<number[]> {
  const rows = await query<{ id: string }>('select id from ticket where event_id = $1 order by id', [eventId]);
  return rows.map(({ id }) => Number(id));
}

/** Returns requests with the signed codes of all tickets. They are shuffled, because people do not arrive in the order in which they bought. */
export async function signedRequests({ query, databaseUrl }: MeasuredService, shop: Shop, eventId: number): Promise<DoorEvent> {
  const { db, close } = connect({ url: databaseUrl, max: 1, secrets: testSecrets, onError: () => undefined });
  try {
    const key = await inTransaction(db, {}, (tx) => ensureTicketKey(tx, systemAct('bench', new Date()), eventId));
    const place = (id: number) => (id * 7919) % 10_007;
    const ids = (await ticketIds({ query }, eventId)).toSorted((a, b) => place(a) - place(b));
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

/** A ticket can be checked in only once, so each round checks in its own part of the tickets. */
export const measureCheckins: Measure = ({ rounds, quick, progress, profile }) =>
  withService({ environment, nodeOptions: profiling(profile) }, (service) =>
    withControlServer('echo-server.ts', 'makeCheckins', async (echoPort) => {
      const tickets = quick ? 10_000 : 100_000;
      const shop = openShop(service);
      progress(`S8: filling ${tickets} tickets twice`);
      const { eventId: plainEvent } = await createDoorEvent(service, shop, tickets);
      const { eventId } = await createDoorEvent(service, shop, tickets);
      const { requests, key } = await signedRequests(service, shop, eventId);
      const plainIds = await ticketIds(service, plainEvent);
      await sendKey(echoPort, key);
      progress('S8');
      // The first round of `compare` is a warm-up.
      const perRound = Math.floor(requests.length / (rounds + 1));
      let round: string[] = [];
      const control = async () => {
        round = requests.splice(0, perRound);
        const echo = await sendAll(echoPort, round);
        return combine(echo, await writeCheckins(service, plainEvent, plainIds.splice(0, perRound * batch), batch));
      };
      const compared = await compare({ rounds, control, ours: () => sendAll(service.port, round), ratio: throughputRatio });
      return { S8: { ...compared, tickets, checkinsPerSecond: compared.ours.perSecond * batch } };
    }),
  );
