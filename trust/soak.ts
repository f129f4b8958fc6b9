// T14: the short form of `npm run soak`, and the same with a service that leaks memory on purpose.
import { soak } from '../soak/soak.ts';
import type { Attempt, TryOptions } from './attempt.ts';

export async function trySoak({ quick }: TryOptions): Promise<Attempt[]> {
  const minutes = quick ? 2 : 6;
  const sound = await soak({ minutes, leak: false, onProgress: () => undefined });
  const leaking = await soak({ minutes: 2, leak: true, onProgress: () => undefined });
  for (const { trend, faults, difference, deliveries, counts, kills } of [sound, leaking])
    console.error(JSON.stringify({ ...counts, kills: kills.length, trend, faults: Object.fromEntries(faults), difference, deliveries }));
  const outcomes: [string, boolean][] = [
    ['memory is flat after the warm-up', sound.trend.flat],
    ['there is no error other than 503 during kills', sound.faults.size === 0 && sound.kills.length > 0],
    ['webhooks deliver every change, in order', sound.deliveries.changes > 0 && sound.deliveries.faults.length === 0],
    ['the audit finds no difference', sound.difference === null],
    ['the leak is found', !leaking.trend.flat],
  ];
  return outcomes.map(([title, passed]) => ({ title, blocks: [], passed }));
}
