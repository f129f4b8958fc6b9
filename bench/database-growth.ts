// G4: the duration of single requests with 10,000,000 tickets in the database, compared with 10,000. The event of the requests has the same
// size in both databases, so the responses do not grow. As details, the same requests for the largest event, and the audit of everything.
import { connect } from '../src/postgres/database.ts';
import { testSecrets } from '../test/secret-key.ts';
import { auditAll } from './audit.ts';
import { signedRequests } from './checkins.ts';
import { compare, costRatio, secondsOf } from './compare.ts';
import { exportOrders } from './export.ts';
import { type Load, load } from './load.ts';
import { type FilledShop, fillShop } from './many-tickets.ts';
import { type Measure, type Options, Skipped } from './measure.ts';
import { behindProxy, getRequest, orderRequests, requestHeaders } from './requests.ts';
import { type MeasuredService, withService } from './service.ts';
import { openShop, type Sale, type Shop } from './shop.ts';

const few = 10_000;
const many = 10_000_000;
const ofMeasured = 5_000;
const others = 19;
const roundMs = 2_000;
/** Scans that a device reads as a delta. */
const deltaRequests = 2;

/** One of the two databases, with its service. */
interface Side {
  service: MeasuredService;
  shop: Shop;
  filled: FilledShop;
  /** Requests that check in the tickets of the measured event, 50 each. */
  scans: string[];
  /** Where a device continues to read the manifest of the measured event. */
  since: string;
}

interface Operation {
  name: string;
  /** Returns a function that makes the requests of one round. */
  requests(side: Side, sale: Sale): Promise<() => string | null>;
}

/** Reads as the owner of the event. Responses to users are not cached. */
const reads = (name: string, pathOf: (sale: Sale, side: Side) => string): Operation => ({
  name,
  async requests(side, sale) {
    const headers = { ...requestHeaders, authorization: `Bearer ${await side.shop.token()}` };
    const request = getRequest(`/v1${pathOf(sale, side)}`, headers);
    return () => request;
  },
});

const operations: readonly Operation[] = [
  reads('event page', ({ eventId }) => `/event/${eventId}`),
  reads('tickets page', ({ eventId }) => `/event/${eventId}/tickets`),
  reads('search for events', () => '/event?term=sale'),
  reads('search for orders', ({ eventId }) => `/event/${eventId}/orders?term=maria77@example.com`),
  reads('list of orders', ({ eventId }) => `/event/${eventId}/orders`),
  reads('bordero', ({ eventId }) => `/event/${eventId}/bordero`),
  reads('entry report', ({ eventId }) => `/event/${eventId}/guestlist?method=report`),
  { name: 'order', requests: async (_side, sale) => orderRequests([sale]) },
];

/** Operations whose response or work grows with the event itself. They are measured only for the event that has the same size. */
const ofEqualEvents: readonly Operation[] = [
  reads('search for guests', ({ eventId }) => `/event/${eventId}/checkins/search?q=10000000077`),
  reads('changes for a door', ({ eventId }, { since }) => `/event/${eventId}/checkins/manifest?since=${since}`),
  {
    name: 'check-ins, 50 per request',
    async requests({ scans }) {
      const round = scans.splice(0, scansPerRound);
      return () => round.shift() ?? null;
    },
  },
];
const scansPerRound = 20;

async function run(operation: Operation, side: Side, sale: Sale, ms: number): Promise<Load> {
  const result = await load({ port: side.service.port, nextRequest: await operation.requests(side, sale), connections: 1, ms });
  const failed = Object.keys(result.statuses).filter((status) => !status.startsWith('2'));
  if (failed.length > 0 || result.perSecond === 0) throw new Error(`${operation.name} returned ${JSON.stringify(result.statuses)}`);
  return result;
}

interface Sides {
  small: Side;
  big: Side;
}

async function measureOperation(operation: Operation, { small, big }: Sides, saleOf: (side: Side) => Sale, { rounds, progress }: Options) {
  progress(`G4: ${operation.name}`);
  const once = (side: Side) => run(operation, side, saleOf(side), roundMs);
  const compared = await compare({
    rounds,
    ours: () => once(big),
    control: () => once(small),
    // The median request. A mean would depend on pauses, which other programs cause too.
    ratio: (ours, control) => ours.p50 / control.p50,
  });
  return { name: operation.name, ...compared };
}

/** Reads the manifest to its end, as a device does, and lets guests enter afterwards. */
async function openDoor(service: MeasuredService, shop: Shop, filled: FilledShop): Promise<Side> {
  const { eventId } = filled.measured;
  const { requests: scans } = await signedRequests(service, shop, eventId);
  let since = '';
  for (let more = true; more; ) {
    const path = `/event/${eventId}/checkins/manifest${since && `?since=${since}`}`;
    const page = await shop.call<{ next: string; more: boolean }>('GET', path);
    since = page.next;
    more = page.more;
  }
  const entered = scans.splice(0, deltaRequests);
  const { statuses } = await load({ port: service.port, nextRequest: () => entered.shift() ?? null, connections: 1, ms: 60_000 });
  if (statuses[200] !== deltaRequests) throw new Error(`Check-ins returned ${JSON.stringify(statuses)}`);
  return { service, shop, filled, scans, since };
}

async function auditSeconds({ databaseUrl }: MeasuredService): Promise<number> {
  const { db, close } = connect({ url: databaseUrl, max: 1, secrets: testSecrets, onError: () => undefined });
  try {
    return (await secondsOf(() => auditAll(db))).seconds;
  } finally {
    await close();
  }
}

async function measureBoth(sides: Sides, options: Options) {
  const { small, big } = sides;
  options.progress('G4: audit');
  const audit = { ours: await auditSeconds(big.service), control: await auditSeconds(small.service) };
  const exported = (side: Side) => exportOrders(side.shop, side.filled.measured.eventId, ofMeasured);
  const measured: { name: string; value: number }[] = [
    {
      name: 'export',
      ...(await compare({ rounds: options.rounds, ours: () => exported(big), control: () => exported(small), ratio: costRatio })),
    },
  ];
  for (const operation of [...operations, ...ofEqualEvents])
    measured.push(await measureOperation(operation, sides, ({ filled }) => filled.measured, options));
  const largest = [];
  for (const operation of operations) largest.push(await measureOperation(operation, sides, ({ filled }) => filled.largest, options));
  const [slowest] = measured.toSorted((a, b) => b.value - a.value);
  if (!slowest) throw new Error('Nothing was measured');
  return { ...slowest, operations: measured, largestEvent: largest, audit };
}

export const measureDatabaseGrowth: Measure = async (options) => {
  if (options.quick) throw new Skipped('a short run does not fill 10,000,000 tickets');
  return measureGrowth(options);
};

const measureGrowth: Measure = (options) =>
  withService({ environment: behindProxy }, (fresh) =>
    withService({ environment: behindProxy }, async (grown) => {
      const { progress } = options;
      const side = async (service: MeasuredService, count: number) => {
        progress(`G4: filling ${count} tickets`);
        const shop = openShop(service);
        return openDoor(service, shop, await fillShop(service, shop, { tickets: count, ofMeasured, others }));
      };
      const sides = { small: await side(fresh, few), big: await side(grown, many) };
      return { G4: { ...(await measureBoth(sides, options)), tickets: many } };
    }),
  );
