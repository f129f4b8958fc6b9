// T8: overload with ten times as many clients as are needed to keep the service busy. Clients wait two seconds for a response and obey
// Retry-After. Each order has many items, so that the service cannot serve all clients within two seconds.
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../bench/compare.ts';
import { behindProxy, orderRequests } from '../bench/requests.ts';
import { withService } from '../bench/service.ts';
import { openShop } from '../bench/shop.ts';
import type { Attempt, TryOptions } from './attempt.ts';
import { type CrowdResult, sendCrowd } from './crowd.ts';

const enoughClients = 256;
const itemsInCart = 20;
const minShare = 0.8;

/** Peak and overload take turns, so that other programs on the machine slow down both. */
const rounds = 4;

interface Overload {
  /** The responses of all rounds with too many clients. */
  over: Pick<CrowdResult, 'refused' | 'withoutRetryAfter' | 'timedOut'>;
  /** Throughput under overload as a share of the peak before and after it: the median of the rounds. */
  share: number;
  /** Throughput after the overload as a share of the peak before it: the median of the rounds. */
  recovered: number;
}

const overload = (environment: Record<string, string>, { quick }: TryOptions): Promise<Overload> =>
  withService({ environment: { ...behindProxy, ...environment } }, async (service) => {
    const ms = quick ? 3_000 : 5_000;
    const sale = await openShop(service).createEvent({ items: itemsInCart, perBuyer: 1_000_000 });
    const nextOrder = orderRequests([sale], { cart: 'all items' });
    const send = (clients: number) => sendCrowd({ port: service.port, nextOrder, clients, rampMs: 2_000, ms });
    await send(enoughClients);
    const peaks = [await send(enoughClients)];
    const overs: CrowdResult[] = [];
    while (overs.length < rounds) {
      overs.push(await send(10 * enoughClients));
      await sleep(1_000);
      peaks.push(await send(enoughClients));
    }
    console.error(JSON.stringify({ environment, peaks, overs }));
    return summarize(peaks, overs);
  });

function summarize(peaks: readonly CrowdResult[], overs: readonly CrowdResult[]): Overload {
  const peak = (round: number) => peaks[round]?.perSecond ?? 0;
  const ofRounds = (ratio: (round: number) => number) =>
    median(
      overs.map((_over, round) => ratio(round)),
      (each) => each,
    );
  const sum = (name: keyof Overload['over']) => overs.reduce((total, over) => total + over[name], 0);
  return {
    over: { refused: sum('refused'), withoutRetryAfter: sum('withoutRetryAfter'), timedOut: sum('timedOut') },
    share: ofRounds((round) => (overs[round]?.perSecond ?? 0) / ((peak(round) + peak(round + 1)) / 2)),
    recovered: ofRounds((round) => peak(round + 1) / peak(round)),
  };
}

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
