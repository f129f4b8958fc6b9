// S8: the throughput of check-ins for a sold-out event, with 50 tickets per request, compared with bare Fastify that echoes the same
// requests.
import { systemAct } from '../src/kernel/act.ts';
import { connect } from '../src/postgres/database.ts';
import { inTransaction } from '../src/postgres/transaction.ts';
import { signTickets } from '../src/tickets/ticket-code.ts';
import { ensureTicketKey } from '../src/tickets/ticket-keys.ts';
import { testSecrets } from '../test/secret-key.ts';
import { compare, throughputRatio } from './compare.ts';
import { withControlServer } from './control-server.ts';
import { type Load, load } from './load.ts';
import type { Measure } from './measure.ts';
import { behindProxy, checkinRequests } from './requests.ts';
import { type MeasuredService, profiling, withService } from './service.ts';
import { openShop, type Shop } from './shop.ts';
import { sellTickets } from './sold-tickets.ts';

const batch = 50;
const hourMs = 3_600_000;

const toUtc = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** Creates an event whose doors are open, and returns requests that check in all its tickets. */
async function checkinsOfNewEvent(service: MeasuredService, shop: Shop, tickets: number): Promise<string[]> {
  const session = { start: toUtc(Date.now() - hourMs), finish: toUtc(Date.now() + 3 * hourMs) };
  const sale = await shop.createEvent({ timezone: 'UTC', session });
  await sellTickets(service, sale, tickets);
  const codes = await ticketCodes(service, sale.eventId);
  return checkinRequests(sale.eventId, codes, { batch, token: await shop.token() });
}

/** Returns the signed codes of all tickets. They are shuffled, because people do not arrive in the order in which they bought. */
async function ticketCodes({ query, databaseUrl }: MeasuredService, eventId: number): Promise<string[]> {
  const { db, close } = connect({ url: databaseUrl, max: 1, secrets: testSecrets, onError: () => undefined });
  try {
    const key = await inTransaction(db, {}, (tx) => ensureTicketKey(tx, systemAct('bench', new Date()), eventId));
    const rows = await query<{ id: string }>('select id from ticket where event_id = $1', [eventId]);
    const place = (id: number) => (id * 7919) % 10_007;
    const ids = rows.map(({ id }) => Number(id)).toSorted((a, b) => place(a) - place(b));
    return [...(await signTickets(key, ids)).values()];
  } finally {
    await close();
  }
}

async function sendAll(port: number, requests: readonly string[]): Promise<Load> {
  let next = 0;
  const result = await load({ port, nextRequest: () => requests[next++] ?? null, ms: 120_000 });
  if (result.statuses[200] !== requests.length) throw new Error(`Not every request returned 200: ${JSON.stringify(result.statuses)}`);
  return result;
}

/** Each round has its own event, because a ticket can be checked in only once. */
export const measureCheckins: Measure = ({ rounds, quick, progress, profile }) =>
  withService({ environment: behindProxy, nodeOptions: profiling(profile) }, (service) =>
    withControlServer('echo-server.ts', 'makeCheckins', async (echoPort) => {
      const tickets = quick ? 10_000 : 100_000;
      const shop = openShop(service);
      let requests: string[] = [];
      const compared = await compare({
        rounds,
        async control() {
          progress(`S8: filling ${tickets} tickets`);
          requests = await checkinsOfNewEvent(service, shop, tickets);
          progress('S8');
          return sendAll(echoPort, requests);
        },
        ours: () => sendAll(service.port, requests),
        ratio: throughputRatio,
      });
      return { S8: { ...compared, tickets, checkinsPerSecond: compared.ours.perSecond * batch } };
    }),
  );
