import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { createDatabase } from './harness.ts';
import type { Habits } from './payment-kills/buyers.ts';
import { findFaults, noFaults } from './payment-kills/find-faults.ts';
import { kinds, type Point } from './payment-kills/kill-points.ts';
import { KilledShop, killsAtEachPoint } from './payment-kills/killed-shop.ts';
import { testSecretKey } from './secret-key.ts';
import { startKeylessProxy } from './stripe/keyless-proxy.ts';
import { startStandInProcess } from './stripe/own-process.ts';
import { useProcesses } from './use-processes.ts';
import { password } from './world.ts';

const { newDataFolder } = useProcesses();
const isFull = process.env.PAYMENT_KILL_ROUNDS !== undefined;
const allKills = killsAtEachPoint(Number(process.env.PAYMENT_KILL_ROUNDS ?? 1));
/** A short run has one kill at each of the hardest points, and takes turns between card, PIX and refund. `npm run trust` has all points. */
const hardest: readonly Point[] = ['call', 'answer', 'notice'];
const kills = isFull
  ? allKills
  : hardest.flatMap((point, i) => allKills.find((each) => each.point === point && each.kind === kinds[i % kinds.length]) ?? []);
/** A full run kills the services of two shops at the same time, because a restart uses only one core. */
const shops = isFull ? 2 : 1;
vi.setConfig({ testTimeout: 240_000 + kills.length * 20_000 });

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Opens a shop. `startProxy` starts a proxy between the shop and the provider. */
async function openShop(habits: Habits, startProxy?: typeof startKeylessProxy): Promise<KilledShop> {
  const { origin, standIn, kill } = await startStandInProcess();
  ends.push(kill);
  const proxy = await startProxy?.(origin);
  if (proxy) ends.push(proxy.close);
  const database = await createDatabase();
  ends.push(database.drop);
  const { emails, producer: producerId } = inject('world');
  const shop = await KilledShop.open({
    folder: newDataFolder({ databaseUrl: database.url }),
    environment: { SECRET_KEY: testSecretKey, UNSAFE_DATABASE: 'allow' },
    standIn,
    provider: proxy?.origin ?? origin,
    habits,
    owner: { email: emails.owner, password, producerId },
  });
  ends.push(() => shop.close());
  return shop;
}

/** Sells while the service is killed. Returns what the judge finds, before and after the open payments have ended. */
async function sellThrough(chosen: typeof kills) {
  const shop = await openShop({ paying: 0.85, wholeRefunds: 0.3 });
  for (const kill of chosen) await shop.kill(kill);
  await shop.settle();
  const settled = findFaults(await shop.readFacts());
  await shop.expire();
  const facts = await shop.readFacts();
  const numbers = { orders: facts.orders.length, charges: facts.charges.length, refunds: facts.returned.length };
  if (isFull) console.info({ ...shop.counts, ...numbers });
  return { strange: shop.strange, settled, ended: findFaults(facts), audit: await shop.audit(), numbers };
}

describe('a service that is killed while it takes and returns money', () => {
  it(`charges each order once or not at all in ${kills.length} kills, and every charge has its tickets or its refund`, async () => {
    const part = kills.length / shops;
    const sales = Array.from({ length: shops }, (_, i) => sellThrough(kills.slice(i * part, (i + 1) * part)));
    for (const { strange, settled, ended, audit, numbers } of await Promise.all(sales)) {
      expect(strange).toEqual([]);
      expect(settled).toEqual({ ...noFaults, waiting: expect.any(Array) as string[] });
      expect(ended).toEqual(noFaults);
      expect(audit.code, audit.stdout).toBe(0);
      expect(Object.values(numbers)).not.toContain(0);
    }
  });

  it('control: orders are charged twice if the provider does not get the idempotency key', async () => {
    const shop = await openShop({ paying: 1, wholeRefunds: 0 }, startKeylessProxy);
    await shop.kill({ point: 'effect', kind: 'card', variant: true });
    await shop.kill({ point: 'effect', kind: 'pix', variant: true });
    await shop.kill({ point: 'call', kind: 'refund', variant: false });
    await shop.settle();
    const facts = await shop.readFacts();
    const { doubleCharges, doubleRefunds, paidForNothing } = findFaults(facts);
    expect(doubleCharges.length).toBeGreaterThan(1);
    expect(doubleRefunds).not.toEqual([]);
    expect(paidForNothing).not.toEqual([]);
    const numbers = { orders: facts.orders.length, doubleCharges: doubleCharges.length, doubleRefunds: doubleRefunds.length };
    if (isFull) console.info({ control: 'without idempotency keys', ...shop.counts, ...numbers });
  });
});
