// `npm run failover [-- --quick]` sells through a highly available database and makes its servers fail in several ways. Then it proves in the
// database that no acknowledged order was lost and no order exists twice. It needs PostgreSQL, Patroni, etcd and HAProxy from Debian's packages.
// With --control the replication is asynchronous. Then a failover loses orders, and the proof must find them.
// The exit code is 1 if something was lost or doubled, or if a buyer got another error than 503.
import { parseArgs } from 'node:util';
import { prove, readRows } from '../bench/onsale-proof.ts';
import { behindProxy } from '../bench/requests.ts';
import { withService } from '../bench/service.ts';
import { openShop } from '../bench/shop.ts';
import { findPrograms } from '../test/programs.ts';
import { startTcpProxy } from '../test/silent-proxy.ts';
import { Cluster } from './cluster.ts';
import { type Fault, faults, type Setting } from './faults.ts';
import { Sales } from './sales.ts';

const { values: given } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, control: { type: 'boolean', default: false } },
});
/** Sales before a fault, and after it, which show that the shop sells. */
const steadySales = 50;

interface Seen {
  title: string;
  secondsWithoutSales: number;
  unavailable: number;
  cut: number;
}

async function suffer({ title, cause }: Fault, setting: Setting, sales: Sales): Promise<Seen> {
  console.error(`── ${title}`);
  await sales.more(steadySales);
  const { unavailable, cut } = sales.retried;
  const began = performance.now();
  await cause(setting);
  await sales.more(steadySales);
  await setting.cluster.healed();
  await sales.more(steadySales);
  const after = sales.retried;
  return { title, secondsWithoutSales: sales.longestGapSince(began), unavailable: after.unavailable - unavailable, cut: after.cut - cut };
}

async function sufferAll(setting: Setting, sales: Sales): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const fault of faults.filter(({ quick }) => quick || !given.quick)) seen.push(await suffer(fault, setting, sales));
  return seen;
}

/** Sells while the standbys get nothing. Then the primary is lost. */
async function loseOrders({ cluster }: Setting, sales: Sales): Promise<void> {
  await cluster.detachStandbys();
  await sales.more(steadySales);
  await cluster.killNode();
  cluster.wake();
  await sales.more(steadySales);
}

/** Returns whether the proof found what it should find: with synchronous replication nothing, and without it lost orders. */
async function sellThroughFaults(setting: Setting): Promise<boolean> {
  return withService({ environment: behindProxy }, async (service) => {
    const sale = await openShop(service).createEvent({});
    const sales = new Sales(service.port, sale);
    await sales.more(steadySales);
    const seen = given.control ? [] : await sufferAll(setting, sales);
    if (given.control) await loseOrders(setting, sales);
    await sales.end();
    for (const { title, secondsWithoutSales, unavailable, cut } of seen)
      console.log(`${secondsWithoutSales.toFixed(1).padStart(6)} s without sales, ${unavailable} × 503, ${cut} cut connections: ${title}`);
    const statements = [
      ...prove(await readRows(service, sale), sales.acknowledged, sales.sold),
      {
        holds: sales.unexpected.size === 0,
        text: `other responses: ${[...sales.unexpected].map(([kind, n]) => `${n} × ${kind}`).join(', ') || 'none'}`,
      },
    ];
    for (const { holds, text } of statements) console.log(`${holds ? 'ok  ' : 'FAIL'}  ${text}`);
    return statements.every(({ holds }) => holds) !== given.control;
  });
}

const found = findPrograms();
if ('missing' in found) {
  console.log(`SKIPPED: the failover needs packages that are not installed (Debian: apt-get install ${found.missing.join(' ')})`);
} else {
  console.error('Starting three PostgreSQL servers with Patroni, etcd and HAProxy');
  const cluster = await Cluster.start(found.programs, given.control ? 'asynchronous' : 'synchronous');
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: cluster.ports.primary });
  try {
    // The service and the proof connect through the proxy.
    process.env.DATABASE_URL = cluster.urlAt(proxy.port);
    if (!(await sellThroughFaults({ cluster, proxy }))) process.exitCode = 1;
  } finally {
    await proxy.close();
    await cluster.stop();
  }
}
