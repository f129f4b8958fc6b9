// M2: the duration of the first start on an empty folder, from the command to the first response with demo data.
import { median } from './compare.ts';
import type { Measure } from './measure.ts';
import { withService } from './service.ts';

async function firstStart(): Promise<number> {
  const began = performance.now();
  return withService({ isFirstStart: true }, async (service) => {
    const { status } = await service.call('GET', '/v1/event/1');
    if (status !== 200) throw new Error(`GET /v1/event/1 returned ${status}`);
    return (performance.now() - began) / 1_000;
  });
}

export const measureFirstStart: Measure = async ({ rounds, progress }) => {
  progress('M2');
  const seconds: number[] = [];
  while (seconds.length < rounds) seconds.push(await firstStart());
  return { M2: { value: median(seconds, (each) => each), rounds: seconds } };
};
