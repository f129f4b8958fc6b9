// T8: overload with ten times as many clients as are needed to keep the service busy. Clients wait two seconds for a response and obey
// Retry-After. Each order has many items, so that the service cannot serve all clients within two seconds.
import { setTimeout as sleep } from 'node:timers/promises';
import { behindProxy, orderRequests } from '../bench/requests.ts';
import { withService } from '../bench/service.ts';
import { openShop } from '../bench/shop.ts';
import type { Attempt, TryOptions } from './attempt.ts';
import { type CrowdResult, sendCrowd } from './crowd.ts';

const enoughClients = 256;
const itemsInCart = 20;
const minShare = 0.8;

interface Overload {
  over: CrowdResult;
  /** Throughput under overload as a share of the peak. */
  share: number;
  /** Throughput after the overload as a share of the peak. */
  recovered: number;
}

const overload = (environment: Record<string, string>, { quick }: TryOptions): Promise<Overload> =>
  withService({ environment: { ...behindProxy, ...environment } }, async (service) => {
    const ms = quick ? 8_000 : 12_000;
    const sale = await openShop(service).createEvent({ items: itemsInCart, perBuyer: 1_000_000 });
    const nextOrder = orderRequests([sale], { cart: 'all items' });
    const send = (clients: number, duration = ms) => sendCrowd({ port: service.port, nextOrder, clients, ms: duration });
    await send(enoughClients, ms / 2);
    const peak = await send(enoughClients);
    const over = await send(10 * enoughClients);
    await sleep(1_000);
    const after = await send(enoughClients);
    console.error(JSON.stringify({ environment, peak, over, after }));
    return { over, share: over.perSecond / peak.perSecond, recovered: after.perSecond / peak.perSecond };
  });

export async function tryOverload(options: TryOptions): Promise<Attempt[]> {
  const shedding = await overload({}, options);
  const open = await overload({ LOAD_SHEDDING: 'off' }, options);
  const { over, share, recovered } = shedding;
  const least = `at least ${minShare * 100} % of the peak`;
  const outcomes: [string, boolean][] = [
    [`the throughput with ten times as many clients is ${least}`, share >= minShare],
    ['every refusal has Retry-After', over.refused > 0 && over.withoutRetryAfter === 0],
    [`the throughput after the overload is ${least}`, recovered >= minShare],
    ['clients time out without load shedding', open.over.timedOut > 10 * (over.timedOut + 1)],
  ];
  return outcomes.map(([title, passed]) => ({ title, blocks: [], passed }));
}
