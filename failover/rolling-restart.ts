// `npm run rolling-restart` restarts three processes one after the other behind HAProxy, while buyers order and visitors read pages. HAProxy
// uses deploy/haproxy.cfg, but does not retry, because retries would hide the errors. With DRAIN_DELAY=5 no client may see an error. The control is the same without DRAIN_DELAY: there the clients must
// see errors, which shows that the load finds them. The exit code is 1 if one of the two is not so.
import { withHaproxy } from '../bench/haproxy.ts';
import { prove, readRows } from '../bench/onsale-proof.ts';
import { behindProxy } from '../bench/requests.ts';
import { type Fleet, withFleet } from '../bench/service.ts';
import { openShop, type Sale } from '../bench/shop.ts';
import { findProgram } from '../test/programs.ts';
import { Readers } from './readers.ts';
import { Sales } from './sales.ts';

const processes = 3;
const readers = 12;
/** Below the limit of the machine, so that every error comes from a restart. For the same reason load shedding is off. */
const crowd = { buyers: 12, pauseMs: 50 };
/** Sales before, between and after the restarts. */
const steadySales = 50;

interface Outcome {
  /** Errors that clients saw, by kind. */
  errors: Record<string, number>;
  sold: number;
  reads: number;
  lost: string[];
}

async function restartAll(port: number, fleet: Fleet, sale: Sale): Promise<Outcome> {
  const sales = new Sales(port, sale, crowd);
  const pages = new Readers(port, [`/v1/event/${sale.eventId}`, `/v1/event/${sale.eventId}/tickets`, '/en/'], readers);
  await sales.more(steadySales);
  for (let i = 0; i < processes; i++) {
    console.error(`   restarting process ${i + 1} of ${processes}`);
    await fleet.restart(i);
    await sales.more(steadySales);
  }
  await pages.end();
  await sales.end();
  const [service] = fleet.services;
  if (!service) throw new Error('No process runs');
  const statements = prove(await readRows(service, sale), sales.acknowledged, sales.sold);
  const { unavailable, cut } = sales.retried;
  const counts = [...sales.unexpected, ...[...pages.errors].map(([kind, n]) => [`page ${kind}`, n] as const)];
  return {
    errors: Object.fromEntries([['order 503', unavailable] as const, ['order cut', cut] as const, ...counts].filter(([, n]) => n > 0)),
    sold: sales.sold,
    reads: pages.reads,
    lost: statements.filter(({ holds }) => !holds).map(({ text }) => text),
  };
}

const tryRestarts = (haproxy: string, drainDelay: number): Promise<Outcome> =>
  withFleet(processes, { ...behindProxy, LOAD_SHEDDING: 'off', DRAIN_DELAY: String(drainDelay) }, (fleet) =>
    withHaproxy(
      haproxy,
      fleet.services.map(({ port }) => port),
      async (port) => {
        const [service] = fleet.services;
        if (!service) throw new Error('No process runs');
        return restartAll(port, fleet, await openShop(service).createEvent());
      },
      { retries: false },
    ),
  );

function print(title: string, good: boolean, { errors, sold, reads, lost }: Outcome): void {
  const seen = Object.entries(errors).map(([kind, n]) => `${n} × ${kind}`);
  console.log(`${good ? 'ok  ' : 'FAIL'}  ${title}: ${sold} orders and ${reads} pages, errors: ${seen.join(', ') || 'none'}`);
  for (const text of lost) console.log(`FAIL  ${text}`);
  if (!good || lost.length > 0) process.exitCode = 1;
}

const haproxy = findProgram('haproxy');
if (haproxy) {
  const drained = await tryRestarts(haproxy, 5);
  print('DRAIN_DELAY=5', Object.keys(drained.errors).length === 0, drained);
  const abrupt = await tryRestarts(haproxy, 0);
  print('control, DRAIN_DELAY=0 must show errors', Object.keys(abrupt.errors).length > 0, abrupt);
} else {
  console.log('SKIPPED: the rolling restart needs HAProxy (Debian: apt-get install haproxy)');
}
