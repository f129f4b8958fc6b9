// M2: how long the first start takes, from the command to the first answer with demo data, on an empty folder.
import { median } from './compare.mjs';
import { startService } from './service.mjs';

export async function measure(_ids, { rounds, progress }) {
  progress('M2');
  const seconds = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    // It counts as started when it answers an event of the demo.
    const service = await startService({}, [], { pollMs: 5 });
    seconds.push((performance.now() - began) / 1_000);
    await service.stop();
  }
  return { M2: { value: median(seconds), rounds: seconds } };
}
