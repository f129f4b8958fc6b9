// S10: the throughput of three processes with three hot events behind HAProxy, which leads each event to one process, compared with one
// process behind HAProxy. As a detail, the same with one hot event, which must not get slower with more processes.
import { findProgram } from '../test/programs.ts';
import { compare, throughputRatio } from './compare.ts';
import { withHaproxy } from './haproxy.ts';
import { load } from './load.ts';
import { type Measure, type Options, type Result, Skipped } from './measure.ts';
import { behindProxy, orderRequests } from './requests.ts';
import { type Fleet, withFleet } from './service.ts';
import { openShop, type Sale } from './shop.ts';

const count = 3;
const maxEvents = 30;

export const measureProcesses: Measure = async (options) => {
  const haproxy = findProgram('haproxy');
  if (!haproxy) throw new Skipped('HAProxy is not installed (Debian: apt-get install haproxy)');
  options.progress('S10');
  return withFleet(count, behindProxy, (fleet) => {
    const ports = fleet.services.map(({ port }) => port);
    return withHaproxy(haproxy, ports, (several) =>
      withHaproxy(haproxy, ports.slice(0, 1), async (single) => ({ S10: await measureBehind({ several, single }, fleet, options) })),
    );
  });
};

async function measureBehind(
  { several, single }: { several: number; single: number },
  { services: [service] }: Fleet,
  { rounds, quick }: Options,
): Promise<Result> {
  if (!service) throw new Error('No process runs');
  const sales = await eventsOfAllProcesses(several, () => openShop(service).createEvent());
  const versus = (events: readonly Sale[]) => {
    const place = (port: number) =>
      load({ port, nextRequest: orderRequests(events, { path: 'with event' }), connections: 256, ms: quick ? 1_000 : 4_000 });
    return compare({ rounds, ours: () => place(several), control: () => place(single), ratio: throughputRatio });
  };
  const { value, ours, control } = await versus(sales.slice(0, 1));
  return { ...(await versus(sales)), oneEvent: { value, ours, control } };
}

/** Creates events until HAProxy leads one to each process. Returns one event per process. */
async function eventsOfAllProcesses(port: number, createEvent: () => Promise<Sale>): Promise<Sale[]> {
  const byProcess = new Map<string, Sale>();
  for (let created = 0; byProcess.size < count; created++) {
    if (created === maxEvents) throw new Error(`HAProxy leads ${maxEvents} events to ${byProcess.size} of ${count} processes`);
    const sale = await createEvent();
    const response = await fetch(`http://127.0.0.1:${port}/v1/event/${sale.eventId}/orders`, { method: 'POST' });
    const server = response.headers.get('x-process') ?? '';
    if (!byProcess.has(server)) byProcess.set(server, sale);
  }
  return [...byProcess.values()];
}
