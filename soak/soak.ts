import { setTimeout as sleep } from 'node:timers/promises';
import { auditAll } from '../bench/audit.ts';
import { setRoom } from '../bench/queue-visitors.ts';
import { behindProxy } from '../bench/requests.ts';
import { type Fleet, type MeasuredService, withFleet } from '../bench/service.ts';
import { openShop, type Shop } from '../bench/shop.ts';
import { connect } from '../src/postgres/database.ts';
import { testSecrets } from '../test/secret-key.ts';
import { stayActive } from './activities.ts';
import { SoakClient } from './client.ts';
import { judgeMemory, readMemory, type Sample, type Trend } from './memory.ts';
import { admitPerMinute } from './wait-and-buy.ts';
import { type DeliveryResult, WebhookCheck } from './webhooks.ts';
import type { SoakWorld } from './world.ts';

export interface SoakOptions {
  minutes: number;
  /** Makes the service keep memory of every request. This is the control: the judge of the memory must find it. */
  leak: boolean;
  /** Called every second. */
  onProgress(state: SoakState): void;
}

/** How the run is going, and how it went. */
export interface SoakState {
  seconds: number;
  counts: SoakClient['counts'];
  done: ReadonlyMap<string, number>;
  faults: ReadonlyMap<string, number>;
  samples: readonly Sample[];
  /** When something was killed, in seconds. */
  kills: readonly number[];
}

export interface SoakResult extends SoakState {
  trend: Trend;
  /** The first difference that the audit found, or null. */
  difference: string | null;
  deliveries: DeliveryResult;
}

const hourMs = 3_600_000;
const openAfterMs = 10_000;
const importing = (file: string): string => `--import=${new URL(file, import.meta.url).href}`;
const collectGarbage = importing('./collect-garbage.mjs');
const leak = importing('../test/faults/leak.mjs');

const toUtc = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** The first process is never killed, so that its memory can be watched for the whole time. The others take turns with the connections. */
const kills: readonly ((fleet: Fleet) => Promise<void>)[] = [
  (fleet) => fleet.kill(1),
  async ({ services: [first] }) => {
    await first?.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
  },
];

/** Sends all kinds of requests to two processes, and kills one of them or all database connections every minute. */
export const soak = (options: SoakOptions): Promise<SoakResult> =>
  withFleet(
    2,
    { ...behindProxy, WEBHOOKS_ALLOW_PRIVATE: 'on' },
    async (fleet) => {
      const [survivor] = fleet.services;
      if (!survivor) throw new Error('No process runs');
      const shop = openShop(survivor);
      const webhooks = new WebhookCheck(survivor, shop);
      await webhooks.start();
      const state = await run(survivor, shop, fleet, options);
      const deliveries = await webhooks.finish();
      return { ...state, trend: judgeMemory(state.samples), difference: await findDifference(survivor), deliveries };
    },
    options.leak ? [collectGarbage, leak] : [collectGarbage],
  );

async function createWorld(survivor: MeasuredService, shop: Shop, client: SoakClient): Promise<SoakWorld> {
  const session = { start: toUtc(Date.now() - hourMs), finish: toUtc(Date.now() + 24 * hourMs) };
  const sale = await shop.createEvent({ timezone: 'UTC', session });
  const queued = await shop.createEvent();
  // The first visitors come before the opening, so there is a draw.
  const opensAt = new Date(Date.now() + openAfterMs).toISOString();
  await setRoom(survivor.origin, await shop.token(), queued.eventId, { opensAt, admitPerMinute });
  return { client, shop, sale, queued, paid: [], people: 0, done: new Map() };
}

async function run(survivor: MeasuredService, shop: Shop, fleet: Fleet, { minutes, onProgress }: SoakOptions): Promise<SoakState> {
  const client = new SoakClient(fleet.services.map(({ port }) => port));
  const world = await createWorld(survivor, shop, client);
  const samples: Sample[] = [];
  const killedAt: number[] = [];
  const began = performance.now();
  const now = () => (performance.now() - began) / 1_000;
  const state = () => ({ seconds: now(), counts: client.counts, done: world.done, faults: client.faults, samples, kills: killedAt });
  const working = stayActive(world);
  // Short runs have kills too.
  const everyS = Math.min(60, (minutes * 60) / 4);
  let killing = Promise.resolve();
  while (now() < minutes * 60) {
    await sleep(1_000);
    samples.push(await readMemory(survivor, now()));
    if (now() > everyS * (killedAt.length + 1) && now() < minutes * 60 - everyS / 2 && !client.killing) {
      killedAt.push(now());
      killing = killAndWait(fleet, client, killedAt.length);
    }
    onProgress(state());
  }
  await killing;
  client.stopped = true;
  await working;
  client.close();
  return state();
}

/** Requests may fail until all processes are ready again, and a little longer, because some requests wait for their retry. */
async function killAndWait(fleet: Fleet, client: SoakClient, count: number): Promise<void> {
  client.killing = true;
  await kills[count % kills.length]?.(fleet);
  await sleep(5_000);
  client.killing = false;
}

async function findDifference({ databaseUrl }: MeasuredService): Promise<string | null> {
  const { db, close } = connect({ url: databaseUrl, max: 1, secrets: testSecrets, onError: () => undefined });
  try {
    await auditAll(db);
    return null;
  } catch (error) {
    return String(error);
  } finally {
    await close();
  }
}
