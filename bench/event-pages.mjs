/** Figure S4: event pages, warm, against bare Fastify sending the same bytes. Median of three rounds, each of both. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { load } from './load.mjs';
import { median } from './median.mjs';
import { startService } from './service.mjs';

const rounds = 3;
const paths = ['/v1/event/1', '/v1/event/1/tickets', '/v1/event/1/session/1/tickets'];

async function startBare(body) {
  const child = fork(new URL('./bare-fastify.mjs', import.meta.url), { env: { ...process.env, BODY: body } });
  const [port] = await once(child, 'message');
  return { port, stop: () => child.kill() };
}

const service = await startService();
try {
  for (const path of paths) {
    const answer = await fetch(new URL(path, service.api));
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`);
    const body = await answer.text();
    const bare = await startBare(body);
    const results = [];
    for (let round = 0; round < rounds; round++) {
      const control = await load({ port: bare.port, path: '/' });
      const ours = await load({ port: service.port, path });
      results.push({ control, ours, ratio: ours.perSecond / control.perSecond });
    }
    bare.stop();
    const ratio = median(results.map((result) => result.ratio));
    const { control, ours } = results.find((result) => result.ratio === ratio);
    console.log(
      `${path.padEnd(34)} ${body.length} bytes  ratio ${ratio.toFixed(2)}  ` +
        `ours ${Math.round(ours.perSecond)}/s p50 ${ours.p50.toFixed(1)} p99 ${ours.p99.toFixed(1)} ms, ${ours.failed} failed  ` +
        `bare ${Math.round(control.perSecond)}/s p50 ${control.p50.toFixed(1)} p99 ${control.p99.toFixed(1)} ms`,
    );
  }
} finally {
  await service.stop();
}
