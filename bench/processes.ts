// S10: the throughput of three processes with three hot events behind HAProxy, which leads each event to one process, compared with one
// process behind HAProxy. As details, the same with one hot event, which must not get slower with more processes, and the throughput of four
// hot events with one, two and four processes.
import { findProgram } from '../test/programs.ts';
import { compare, median, throughputRatio } from './compare.ts';
import { withHaproxy } from './haproxy.ts';
import { type Load, load } from './load.ts';
import { type Measure, type Options, type Result, Skipped } from './measure.ts';
import { behindProxy, orderRequests } from './requests.ts';
import { withFleet } from './service.ts';
import { openShop, type Sale, type Shop } from './shop.ts';

const count = 3;
const scales = [1, 2, 4] as const;
const maxEvents = 40;

export const measureProcesses: Measure = async (options) => {
  const haproxy = findProgram('haproxy');
  if (!haproxy) throw new Skipped('HAProxy is not installed (Debian: apt-get install haproxy)');
  options.progress('S10');
  const compared = await withFleet(count, behindProxy, ({ services }) => {
    const ports = services.map(({ port }) => port);
    return withHaproxy(haproxy, ports, (several) =>
      withHaproxy(haproxy, ports.slice(0, 1), (single) => measureBehind({ several, single }, openShop(first(services)), options)),
    );
  });
  // Starting four more processes would take too long for a short run.
  if (options.quick) return { S10: compared };
  return { S10: { ...compared, scale: await measureScale(haproxy, options) } };
};

const place = (port: number, events: readonly Sale[], { quick }: Options): Promise<Load> =>
  load({ port, nextRequest: orderRequests(events, { path: 'with event' }), connections: 256, ms: quick ? 1_000 : 4_000 });

async function measureBehind({ several, single }: { several: number; single: number }, shop: Shop, options: Options): Promise<Result> {
  const sales = await eventsOfAllProcesses(several, count, shop);
  const versus = (events: readonly Sale[]) =>
    compare({
      rounds: options.rounds,
      ours: () => place(several, events, options),
      control: () => place(single, events, options),
      ratio: throughputRatio,
    });
  const { value, ours, control } = await versus(sales.slice(0, 1));
  return { ...(await versus(sales)), oneEvent: { value, ours, control } };
}

/** Orders of four hot events with one, two and four processes on one database. On a machine with few cores more processes cannot help much. */
async function measureScale(haproxy: string, options: Options) {
  const most = Math.max(...scales);
  options.progress(`S10: 1 to ${most} processes`);
  return withFleet(most, behindProxy, ({ services }) => {
    const ports = services.map(({ port }) => port);
    const withProxies = <T>(
      left: readonly number[],
      proxies: readonly number[],
      work: (proxies: readonly number[]) => Promise<T>,
    ): Promise<T> => {
      const [processes, ...others] = left;
      if (processes === undefined) return work(proxies);
      return withHaproxy(haproxy, ports.slice(0, processes), (proxy) => withProxies(others, [...proxies, proxy], work));
    };
    return withProxies(scales, [], async (proxies) => {
      const sales = await eventsOfAllProcesses(proxies.at(-1) ?? 0, most, openShop(first(services)));
      const measured: Load[][] = scales.map(() => []);
      // The first round is a warm-up.
      for (let round = 0; round <= options.rounds; round++) {
        for (const [i, proxy] of proxies.entries()) {
          const result = await place(proxy, sales, options);
          if (round > 0) measured[i]?.push(result);
        }
      }
      return scales.map((processes, i) => ({ processes, ...median(measured[i] ?? [], ({ perSecond }) => perSecond) }));
    });
  });
}

function first<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error('No process runs');
  return one;
}

/** Creates events until HAProxy leads one to each process. Returns one event per process. */
async function eventsOfAllProcesses(port: number, processes: number, shop: Shop): Promise<Sale[]> {
  const byProcess = new Map<string, Sale>();
  for (let created = 0; byProcess.size < processes; created++) {
    if (created === maxEvents) throw new Error(`HAProxy leads ${maxEvents} events to ${byProcess.size} of ${processes} processes`);
    const sale = await shop.createEvent();
    const response = await fetch(`http://127.0.0.1:${port}/v1/event/${sale.eventId}/orders`, { method: 'POST' });
    const server = response.headers.get('x-process') ?? '';
    if (!byProcess.has(server)) byProcess.set(server, sale);
  }
  return [...byProcess.values()];
}
