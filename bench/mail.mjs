// What mail costs: queueing beside the payment that it is written with, and writing a whole mail beside a plain one. Needs dist/, which
// `npm run build` makes.
//   node bench/mail.mjs [--rounds 5] [--orders 100]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig } from '../dist/config.js';
import { systemAct } from '../dist/kernel/act.js';
import { confirmByMail } from '../dist/orders/confirm-by-mail.js';
import { payOrders } from '../dist/orders/pay-orders.js';
import { placeOrders } from '../dist/orders/place-orders.js';
import { createMailer } from '../dist/platform/mail/create-mailer.js';
import { sendMail } from '../dist/platform/mail/send-mail.js';
import { connect } from '../dist/postgres/database.js';
import { together } from '../dist/postgres/together.js';
import { inTransaction } from '../dist/postgres/transaction.js';
import { renderersOf } from '../dist/worker/renderers.js';
import { median } from './median.mjs';
import { startService } from './service.mjs';
import { openShop } from './shop.mjs';

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

let buyers = 0;
async function placeMany(db, { eventId, itemIds: [itemId] }, orders) {
  const requests = Array.from({ length: orders }, () => ({
    act: systemAct('bench', new Date()),
    order: { eventId, items: [{ itemId, quantity: 2 }], buyer: { name: 'Ana Souza', email: `ana${++buyers}@example.com` } },
  }));
  return inTransaction(db, {}, (tx) => placeOrders(tx, requests));
}

/** Pays so many orders, and then only queues as many mails again; what a commit takes is left out of both. */
async function payAndQueue(db, event, orders) {
  const placed = await placeMany(db, event, orders);
  const at = new Date();
  const payments = placed.map(({ id, secret }) => ({ act: systemAct('bench', at), id, secret, body: { method: 'card' } }));
  const pay = await inTransaction(db, {}, (tx) => timed(() => payOrders(tx, payments)));
  const mails = placed.map(({ id, eventId, currency }) => ({ eventId, orderId: -id, currency, at }));
  const queue = await inTransaction(db, {}, (tx) => timed(() => together(tx, confirmByMail(mails))));
  return { pay, queue };
}

const plain = async () => ({
  to: { name: 'Ana Souza', address: 'ana@example.com' },
  letter: { locale: 'en', subject: 'Plain', blocks: [{ paragraph: 'One line.' }], footer: 'The end.' },
});

/** All that wait, as mails with two tickets each, and then the same again as mails of one line. */
async function sendBoth({ db, pool }, office) {
  const sendAll = (renderers) =>
    timed(async () => {
      while (await sendMail(db, { ...office, renderers }, new Date()));
    });
  const whole = await sendAll(office.renderers);
  await pool.query(`update mail set status = 'queued', sent_at = null where status = 'sent'`);
  const short = await sendAll({ order_confirmation: plain });
  await pool.query('delete from mail');
  return { whole, short };
}

/** Medians over the rounds, after one to warm up: milliseconds of a mail or payment, and their ratios. */
export async function measure({ rounds = 5, orders = 100 } = {}) {
  const service = await startService({ SERVE: 'event,ticket,shop,account', UNSAFE_DATABASE: 'allow' });
  const folder = mkdtempSync(join(tmpdir(), 'tsr-mail-'));
  const client = await service.connect();
  const connections = connect({ url: `postgresql://postgres@/tessera?host=${client.host}`, onError: () => undefined });
  await client.end();
  const config = readConfig({ DATA_DIR: folder });
  const office = { mailer: createMailer(config), renderers: renderersOf(config), from: config.mailFrom };
  try {
    const event = await (await openShop(service.api)).createEvent();
    const results = [];
    for (let round = 0; round <= rounds; round++) {
      const queued = await payAndQueue(connections.db, event, orders);
      await connections.pool.query(`delete from mail where (payload->>'orderId')::bigint < 0`);
      const sent = await sendBoth(connections, office);
      if (round > 0) results.push({ ...queued, ...sent });
    }
    const of = (name) => median(results.map((result) => result[name])) / orders;
    return {
      orders,
      payMs: of('pay'),
      queueMs: of('queue'),
      queueToPay: median(results.map(({ queue, pay }) => queue / pay)),
      mailMs: of('whole'),
      plainMs: of('short'),
      mailToPlain: median(results.map(({ whole, short }) => whole / short)),
    };
  } finally {
    office.mailer.close();
    await connections.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, orders: { type: 'string', default: '100' } } });
  const { payMs, queueMs, queueToPay, mailMs, plainMs, mailToPlain } = await measure({
    rounds: Number(values.rounds),
    orders: Number(values.orders),
  });
  console.log(`queueing a mail : paying an order      ${queueToPay.toFixed(3)}  (${queueMs.toFixed(3)} ms : ${payMs.toFixed(3)} ms)`);
  console.log(`a mail with two tickets : one of a line ${mailToPlain.toFixed(2)}  (${mailMs.toFixed(2)} ms : ${plainMs.toFixed(2)} ms)`);
  process.exit();
}
