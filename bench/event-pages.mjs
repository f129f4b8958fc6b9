// S4: event pages, warm, against bare Fastify sending the same bytes. Of three pages the slowest counts.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { compare } from './compare.mjs';
import { load } from './load.mjs';
import { startService } from './service.mjs';

const paths = ['/v1/event/1', '/v1/event/1/tickets', '/v1/event/1/session/1/tickets'];

async function startBare(body) {
  const child = fork(new URL('./bare-fastify.mjs', import.meta.url), { env: { ...process.env, BODY: body } });
  const [port] = await once(child, 'message');
  return { port, stop: () => child.kill() };
}

export async function measure(_ids, { rounds, quick, progress }) {
  const ms = quick ? 700 : 3_000;
  const service = await startService();
  const pages = [];
  try {
    for (const path of paths) {
      progress(`S4 ${path}`);
      const answer = await fetch(new URL(path, service.api));
      if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`);
      const bare = await startBare(await answer.text());
      const [ours, control] = [() => load({ port: service.port, path, ms }), () => load({ port: bare.port, path: '/', ms })];
      pages.push({ path, ...(await compare({ rounds, ours, control })) });
      bare.stop();
    }
  } finally {
    await service.stop();
  }
  const slowest = pages.toSorted((a, b) => a.value - b.value)[0];
  return { S4: { ...slowest, pages: pages.map(({ path, value }) => ({ path, value })) } };
}
