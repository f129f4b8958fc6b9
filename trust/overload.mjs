// T8: ten times as many clients as it takes to keep the service busy. People wait two seconds for an answer, and come back when they are told
// to. Their carts are full, so that they are more than can be served while they wait.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../bench/service.mjs';
import { openShop } from '../bench/shop.mjs';

const enough = 256;
const patienceMs = 2_000;
const itemsInCart = 20;

let buyers = 0;
/** Who asks is on the same machine and must not take more of it than need be: what is the same is said once. */
function ordersFor({ eventId, itemIds }) {
  const items = JSON.stringify(itemIds.map((itemId) => ({ itemId, quantity: 1 })));
  const [before, after] = [`{"eventId":${eventId},"items":${items},"buyer":{"name":"Ana Souza","email":"ana`, '@example.com"}}'];
  return () => {
    const body = `${before}${++buyers}${after}`;
    return `POST /v1/orders HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
}

/** One answer, or null when it does not come in time; then the connection is given up, as a browser would. */
function ask(socket, text) {
  return new Promise((resolve) => {
    let kept = '';
    const done = (answer) => {
      clearTimeout(timer);
      socket.removeAllListeners('data').removeAllListeners('close');
      resolve(answer);
    };
    const timer = setTimeout(() => done(null), patienceMs);
    socket.on('close', () => done(null));
    socket.on('data', (chunk) => {
      kept += chunk.latin1Slice();
      const head = kept.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(kept)?.[1] ?? Number.NaN);
      if (head < 0 || !(kept.length >= head + 4 + length)) return;
      done({ status: Number(kept.slice(9, 12)), retryAfter: Number(/retry-after: (\d+)/i.exec(kept)?.[1] ?? Number.NaN) });
    });
    socket.write(text);
  });
}

async function crowd(port, nextOrder, clients, ms) {
  const end = performance.now() + ms;
  const tally = { served: 0, refused: 0, late: 0, withoutRetryAfter: 0, refusals: [] };
  async function client() {
    let socket = null;
    while (performance.now() < end) {
      if (!socket || socket.destroyed) {
        socket = connect({ port, host: '127.0.0.1', noDelay: true });
        socket.on('error', () => undefined);
      }
      const began = performance.now();
      const answer = await ask(socket, nextOrder());
      if (answer?.status === 201) tally.served++;
      else if (answer?.status === 503) {
        tally.refused++;
        tally.refusals.push(performance.now() - began);
        if (!(answer.retryAfter > 0)) tally.withoutRetryAfter++;
        await sleep(answer.retryAfter * 1_000 * (1 + Math.random()));
      } else {
        tally.late++;
        socket.destroy();
      }
    }
    socket?.destroy();
  }
  await Promise.all(Array.from({ length: clients }, client));
  const refusals = tally.refusals.toSorted((a, b) => a - b);
  return {
    ...tally,
    refusals: undefined,
    perSecond: tally.served / (ms / 1_000),
    refusedWithin: refusals[Math.floor(refusals.length / 2)] ?? 0,
  };
}

async function run(environment, { quick }) {
  const ms = quick ? 8_000 : 12_000;
  const service = await startService(environment);
  try {
    const nextOrder = ordersFor(await (await openShop(service.api)).createEvent({ items: itemsInCart, perBuyer: 1_000_000 }));
    await crowd(service.port, nextOrder, enough, ms / 2);
    const peak = await crowd(service.port, nextOrder, enough, ms);
    const over = await crowd(service.port, nextOrder, 10 * enough, ms);
    await sleep(1_000);
    const after = await crowd(service.port, nextOrder, enough, ms);
    return { peak, over, after, share: over.perSecond / peak.perSecond, recovered: after.perSecond / peak.perSecond };
  } finally {
    await service.stop();
  }
}

/** The same as the tests of the other figures answer: what was tried, and whether it held. */
export async function tryToBreak(options) {
  const shed = await run({}, options);
  const open = await run({ LOAD_SHEDDING: 'off' }, options);
  const told = (share) => `${Math.round(share * 100)} %`;
  const tests = [
    [`${told(shed.share)} of the peak are served to ten times the clients`, shed.share >= 0.8],
    [`who is refused is told when to come back (${shed.over.refused} were)`, shed.over.refused > 0 && shed.over.withoutRetryAfter === 0],
    [`after it ${told(shed.recovered)} of the peak are served again`, shed.recovered >= 0.8],
    [
      `control: without shedding ${open.over.late} wait for nothing (with it ${shed.over.late})`,
      open.over.late > 10 * (shed.over.late + 1),
    ],
  ];
  return {
    tests: tests.map(([title, held]) => ({ title, fullName: title, ancestorTitles: [], status: held ? 'passed' : 'failed' })),
    measured: { shed, open },
  };
}
