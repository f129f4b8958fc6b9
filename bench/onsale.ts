// `npm run onsale [-- tickets]` sells all tickets of a stadium on a new database. Many buyers order, pay, cancel and retry at the same
// time. Then the script checks in the database that every ticket was sold exactly once and that no acknowledged order is missing.
import { Browsers } from './browser.ts';
import { sellOut, type Tally } from './buyers.ts';
import { percentile } from './load.ts';
import { prove, readRows } from './onsale-proof.ts';
import { behindProxy } from './requests.ts';
import { type MeasuredService, withService } from './service.ts';
import { openShop } from './shop.ts';

const quantity = Number(process.argv[2] ?? 50_000);
if (!Number.isInteger(quantity) || quantity < 1 || quantity > 1_000_000) {
  console.error('Usage: npm run onsale [-- tickets], from 1 to 1000000 tickets');
  process.exit(1);
}
const buyers = 256;
const crowd = { buyers, cancelOneIn: 7, declineOneIn: 20 };
const cutOneIn = 25;
const maxMs = (60 + quantity / 50) * 1_000;

/** Prints the progress: on a terminal as one line that is updated, otherwise as a new line every five seconds. */
function progressBar(): (tally: Tally, orders: number, isLast?: boolean) => void {
  const began = performance.now();
  let nextLineAt = 0;
  return ({ sold, held, cancelled, declined }, orders, isLast = false) => {
    const bar = '█'.repeat(Math.floor((sold / quantity) * 30)).padEnd(30, '░');
    const seconds = Math.round((performance.now() - began) / 1_000);
    const counts = `${sold}/${quantity} sold, ${held} held, ${cancelled} cancelled, ${declined} declined, ${orders} orders, ${seconds} s`;
    if (process.stdout.isTTY) process.stdout.write(`\r${bar} ${counts}  `);
    else if (seconds >= nextLineAt || isLast) {
      console.log(`${bar} ${counts}`);
      nextLineAt = seconds + 5;
    }
  };
}

async function sell(service: MeasuredService): Promise<boolean> {
  console.log(
    `One in ${crowd.cancelOneIn} buyers cancels the order, one in ${crowd.declineOneIn} cards is declined at first, and one in ${cutOneIn} requests\n` +
      'loses its connection and is retried with the same Idempotency-Key.\n',
  );
  const sale = await openShop(service).createEvent({ quantity });
  const browsers = new Browsers({ port: service.port, connections: buyers, cutOneIn, deadline: Date.now() + maxMs });
  try {
    const onProgress = progressBar();
    const { acknowledged, tally, seconds } = await sellOut({ browsers, sale, quantity, ...crowd, onProgress });
    onProgress(tally, acknowledged.size, true);
    const { requests, cuts, busy, replayed } = browsers.counts;
    console.log(
      `\n\n${requests} requests. ${cuts} lost their connection and ${busy} got 503: all were retried. ${replayed} retries got the stored response.`,
    );
    console.log(`${tally.refused} orders were refused because too few tickets were available.\n`);
    const statements = prove(await readRows(service, sale), acknowledged, quantity);
    for (const { holds, text } of statements) console.log(`${holds ? 'ok  ' : 'FAIL'}  ${text}`);
    const latency = (share: number) => percentile(browsers.latencies, share).toFixed(0);
    console.log(
      `\n${Math.round(acknowledged.size / seconds)} orders/s (${Math.round(requests / seconds)} requests/s) for ${seconds.toFixed(1)} s; ` +
        `an order took ${latency(0.5)} ms (p50), ${latency(0.99)} ms (p99). Buyers and service share this machine.`,
    );
    return statements.every(({ holds }) => holds);
  } finally {
    browsers.close();
  }
}

console.log(`Starting the service on an empty folder, with ${quantity} tickets of one item and ${buyers} buyers at a time.`);
const proved = await withService({ environment: behindProxy }, sell);
if (!proved) process.exitCode = 1;
