// `npm run waiting-room [-- visitors perMinute pollSeconds]` lets a crowd wait for an event of 2,000 tickets, with two processes on one database. It measures the
// admitted rate, the orders with and without the crowd, and what waiting costs. It tries forged and shared admissions, and it recomputes the
// draw with a script that uses nothing of the service. With `auto` as perMinute the service chooses the rate, and the script prints the rates
// beside the load that the processes reported.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDataFolder } from '../test/process.ts';
import { testSecretKey } from '../test/secret-key.ts';
import { buyTicket, Crowd, setRoom, Visitors } from './queue-visitors.ts';
import { behindProxy } from './requests.ts';
import { type MeasuredService, withService } from './service.ts';
import { openShop, type Sale } from './shop.ts';

const count = Number(process.argv[2] ?? 20_000);
const isAuto = process.argv[3] === 'auto';
/** With `auto`, this is only the rate of the sale without a crowd. */
const perMinute = isAuto ? 2_400 : Number(process.argv[3] ?? 2_400);
/** With `auto`, there are enough tickets for the rate to settle. */
const tickets = isAuto ? Math.floor(count / 2) : Math.min(2_000, Math.floor(count / 10));
const pollMs = Number(process.argv[4] ?? 10) * 1_000;
const joinMs = count * 2;
const learnMs = count;
const waitSeconds = 15;
/** Without the worker, whose jobs would be counted as the cost of waiting. */
const environment = { ...behindProxy, RATE_LIMIT: 'off', SERVE: 'event,ticket,shop,door,account' };

interface Process {
  pid: number;
  port: number;
}

/** The CPU time that the processes have used, in milliseconds. A clock tick has 10 ms on Linux. */
const cpuMs = (processes: readonly Process[]): number =>
  processes.reduce((sum, { pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) * 10;
  }, 0);

const commits = async (service: MeasuredService): Promise<number> =>
  Number((await service.query<{ n: string }>('select xact_commit as n from pg_stat_database where datname = current_database()'))[0]?.n);

/** Buys at a fixed rate, without a waiting room and without a crowd. Returns the paid orders per minute. */
async function sellWithoutCrowd(visitors: Visitors, sale: Sale, seconds: number): Promise<number> {
  let sold = 0;
  const began = performance.now();
  const running: Promise<unknown>[] = [];
  for (let i = 0; i < (perMinute / 60) * seconds; i++) {
    const due = began + (i * 60_000) / perMinute;
    if (due > performance.now()) await sleep(due - performance.now());
    running.push(buyTicket(visitors, 1_000_000 + i, sale).then((problem) => (problem === null ? sold++ : 0)));
  }
  await Promise.all(running);
  return (sold * 60_000) / (performance.now() - began);
}

const checks: boolean[] = [];
function check(holds: boolean, text: string): void {
  checks.push(holds);
  console.log(`${holds ? 'ok  ' : 'FAIL'}  ${text}`);
}

/** Leaves out the beginning, when visitors learn places whose turn has come already, and the end, when the tickets run out. */
function rateOf(times: readonly number[], from: number): number {
  const sorted = times.filter((time) => time > from).toSorted((a, b) => a - b);
  const inner = sorted.slice(Math.floor(sorted.length * 0.05), Math.ceil(sorted.length * 0.95));
  return ((inner.length - 1) * 60_000) / ((inner.at(-1) ?? 0) - (inner[0] ?? 0));
}

/** Prints every 5 s the rate, the paid orders, and the load that the busiest process reported. Returns a function that stops this. */
function watchRate(service: MeasuredService, { eventId }: Sale, soldAt: readonly number[]): () => Promise<void> {
  let isOver = false;
  const began = performance.now();
  const running = (async () => {
    for (let sold = soldAt.length; !isOver; sold = soldAt.length) {
      await sleep(5_000);
      const [now] = await service.query<{ rate: number; pressure: number; capacity: number }>(
        `select (select per_minute from waiting_room where event_id = $1) as rate,
                max(pressure) as pressure, sum(capacity) as capacity from waiting_room_report where event_id = $1`,
        [eventId],
      );
      console.log(
        `${((performance.now() - began) / 1_000).toFixed(0)} s: ${now?.rate} admitted per minute, ${(soldAt.length - sold) * 12} paid orders per minute, ` +
          `pressure ${Number(now?.pressure).toFixed(2)}, capacity ${Number(now?.capacity).toFixed(0)} orders per minute`,
      );
    }
  })();
  return async () => {
    isOver = true;
    await running;
  };
}

async function run(service: MeasuredService, other: MeasuredService['origin'], processes: readonly Process[]): Promise<void> {
  const shop = openShop(service);
  const ports = processes.map(({ port }) => port);
  const visitors = new Visitors(ports);
  // Buyers have connections of their own. Otherwise their requests would wait in this process, behind those of the crowd.
  const buyers = new Visitors(ports);
  const control = await shop.createEvent({ quantity: 100_000 });
  const idleFrom = { cpu: cpuMs(processes), commits: await commits(service) };
  await sleep(waitSeconds * 1_000);
  const idle = {
    cpu: (cpuMs(processes) - idleFrom.cpu) / waitSeconds,
    commits: ((await commits(service)) - idleFrom.commits) / waitSeconds,
  };
  const before = await sellWithoutCrowd(visitors, control, 30);
  console.log(`Without a crowd: ${before.toFixed(0)} paid orders per minute at ${perMinute} visitors per minute.`);

  const sale = await shop.createEvent({ quantity: tickets });
  const opensAt = Date.now() + joinMs + (waitSeconds + 15) * 1_000;
  await setRoom(service.origin, await shop.token(), sale.eventId, {
    opensAt: new Date(opensAt).toISOString(),
    admitPerMinute: isAuto ? 'auto' : perMinute,
  });
  const soldAt: number[] = [];
  let soldToFriends = 0;
  const problems = new Map<string, number>();
  const tried = { forged: 0, forgedAccepted: 0, shared: 0, sharedAccepted: 0 };

  async function order(visitor: number, admission: string): Promise<void> {
    const problem = await buyTicket(buyers, visitor, sale, admission);
    if (problem === null) soldAt.push(performance.now());
    else problems.set(problem, (problems.get(problem) ?? 0) + 1);
    if (visitor % 50 !== 0) return;
    tried.forged++;
    const forged = admission.replace(/\.(\d+)\.(\d+)\./, (_, number: string, expires: string) => `.${Number(number) + 1}.${expires}.`);
    if ((await buyTicket(buyers, visitor, sale, forged)) === null) tried.forgedAccepted++;
    // Five friends use the same admission. Two orders per place are allowed.
    const friends = await Promise.all([1, 2, 3, 4, 5].map((n) => buyTicket(buyers, 2_000_000 + visitor * 10 + n, sale, admission)));
    tried.shared++;
    const accepted = friends.filter((each) => each === null).length;
    soldToFriends += accepted;
    if (accepted > 1) tried.sharedAccepted++;
  }

  const running: Promise<void>[] = [];
  const crowd = new Crowd({ visitors, sale, count, pollMs, onAdmitted: (...admitted) => void running.push(order(...admitted)) });
  const joining = { cpu: cpuMs(processes), commits: await commits(service), at: performance.now() };
  await crowd.join(joinMs);
  const joined = { cpu: cpuMs(processes) - joining.cpu, commits: (await commits(service)) - joining.commits };
  const places = crowd.numbers.map(({ number }) => number);
  check(new Set(places).size === count, `${count} visitors got ${new Set(places).size} different numbers from two processes`);
  console.log(
    `Joining took ${(joined.cpu / count).toFixed(2)} ms of CPU and ${(joined.commits / count).toFixed(3)} transactions per visitor.`,
  );

  const waiting = { cpu: cpuMs(processes), commits: await commits(service), polls: crowd.polls };
  await sleep(waitSeconds * 1_000);
  const cpu = (cpuMs(processes) - waiting.cpu) / waitSeconds;
  const polls = crowd.polls - waiting.polls;
  const transactions = ((await commits(service)) - waiting.commits) / waitSeconds - idle.commits;
  console.log(
    `${count} waiting visitors, who ask every ${pollMs / 1000} s (${(polls / waitSeconds).toFixed(0)} requests/s), cost ` +
      `${(((cpu - idle.cpu) * 60) / count).toFixed(2)} ms of CPU per visitor and minute (${((cpu - idle.cpu) / 10).toFixed(0)} % of one core), ` +
      `${(((cpu - idle.cpu) * waitSeconds * 1_000) / polls).toFixed(0)} µs per request, and ${transactions.toFixed(1)} transactions/s for all of them.`,
  );

  await sleep(Math.max(0, opensAt - Date.now() + 500));
  const openedAt = performance.now();
  await crowd.learnPlaces(learnMs);
  console.log(`All visitors knew their place ${((performance.now() - openedAt) / 1_000).toFixed(0)} s after the opening.`);
  // Visitors who learnt their place after its turn have entered by now.
  const from = performance.now() + learnMs;
  const watch = isAuto ? watchRate(service, sale, soldAt) : null;
  const lastMs = isAuto ? 180_000 : ((tickets * 60_000) / perMinute) * 2 + 30_000;
  while (soldAt.length + soldToFriends < tickets && Date.now() < opensAt + lastMs) await sleep(200);
  await watch?.();
  crowd.stop();
  await Promise.all(running);
  if (!isAuto) {
    const admitted = rateOf(crowd.admittedAt, from);
    check(Math.abs(admitted / perMinute - 1) <= 0.1, `${admitted.toFixed(0)} visitors per minute were admitted; ${perMinute} were set`);
    // Over the whole sale, so that orders that were delayed at first do not count twice.
    const goodput = (soldAt.length * 60_000) / (Math.max(...soldAt) - openedAt);
    check(goodput >= before * 0.9, `${goodput.toFixed(0)} paid orders per minute with the crowd; ${before.toFixed(0)} without`);
    const sold = Number((await service.query<{ n: string }>(`select sold as n from item where id = ${sale.itemIds[0]}`))[0]?.n);
    check(sold === tickets, `${sold} of ${tickets} tickets were sold`);
  }
  check(tried.forgedAccepted === 0, `${tried.forged} forged admissions: ${tried.forgedAccepted} accepted`);
  check(
    tried.sharedAccepted === 0,
    `${tried.shared} admissions were shared with five friends: ${tried.sharedAccepted} exceeded two orders`,
  );
  const direct = await buyTicket(visitors, 3_000_000, sale);
  check(direct === 'missing', `an order without an admission is refused: ${direct}`);
  const printed = execFileSync(process.execPath, ['trust/recompute-places.js', `${other}/v1/queue/${sale.eventId}`], { encoding: 'utf8' });
  const recomputed = new Map(
    printed
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number) as [number, number]),
  );
  const countSame = (places: readonly (readonly [number, number])[]) =>
    places.filter(([number, place]) => recomputed.get(number) === place).length;
  const same = countSame([...crowd.places]);
  check(same === count && recomputed.size === count, `${same} of ${count} places are those that the independent script computes`);
  const [[one, placeOfOne] = [0, 0], [two, placeOfTwo] = [0, 0], ...others] = crowd.places;
  const exchanged = [[one, placeOfTwo], [two, placeOfOne], ...others] as const;
  check(countSame(exchanged) === same - 2, 'control: the script detects two exchanged places');
  console.log(
    `${visitors.requests} requests, ${visitors.busy} got 503 and were retried. Refused orders: ${JSON.stringify(Object.fromEntries(problems))}`,
  );
  visitors.close();
  buyers.close();
}

await withService({ environment }, async (service) => {
  const { folder, remove } = createDataFolder({ databaseUrl: service.databaseUrl });
  try {
    const settings = { LOAD_SHEDDING: 'on', PAYMENTS: 'sandbox,cash', SECRET_KEY: testSecretKey, ...environment };
    const second = await folder.serve(settings);
    const ports = [service.port, Number(new URL(second.origin).port)];
    const processes = [service.pid, second.pid].map((pid, i) => ({ pid, port: ports[i] ?? 0 }));
    console.log(`${count} visitors, ${tickets} tickets, ${perMinute} admitted per minute, processes on the ports ${ports.join(' and ')}.`);
    await run(service, second.origin, processes);
    await second.end('SIGTERM');
  } finally {
    await remove();
  }
});
if (checks.length === 0 || checks.includes(false)) process.exitCode = 1;
