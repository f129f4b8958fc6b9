// `npm run onsale [-- tickets]`: sells a stadium to a crowd that abandons, retries and pays, on a database of its own, and then proves
// from the rows that exactly so many were sold and that no order that was acknowledged is missing. Needs no setting up.
import { Browser, sellOut } from './buyers.mjs';
import { startService } from './service.mjs';

const quantity = Number(process.argv[2] ?? 50_000);
if (!Number.isInteger(quantity) || quantity < 1 || quantity > 1_000_000) {
  console.error('npm run onsale [-- tickets], from 1 to 1000000');
  process.exit(1);
}
const buyers = 256;
const mostSeconds = 60 + quantity / 50;

const begin = performance.now();
function showProgress({ sold, held, left, declined }, orders) {
  const bar = '█'.repeat(Math.floor((sold / quantity) * 30)).padEnd(30, '░');
  const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
  const line = `${bar} ${sold}/${quantity} sold, ${held} on hold, ${left} given up, ${declined} declined, ${orders} orders, ${seconds} s`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line}  `);
  else if (Number(seconds) >= showProgress.next) {
    console.log(line);
    showProgress.next = Number(seconds) + 5;
  }
}
showProgress.next = 0;

/** What the database says, asked past the service. */
async function readRows(service, { eventId, itemIds: [itemId] }) {
  const client = await service.connect();
  try {
    const { rows: orders } = await client.query(
      `select o.id::int, o.status, (select sum(quantity)::int from order_line l where l.event_id = o.event_id and l.order_id = o.id) as quantity,
              (select count(*)::int from ticket t where t.event_id = o.event_id and t.order_id = o.id and t.status = 'valid') as tickets
         from ticket_order o where o.event_id = $1`,
      [eventId],
    );
    const { rows: counters } = await client.query(
      `select 'item' as name, sold, held from item where id = $1
       union all select 'group', g.sold, g.held from item g join item i on i.parent_id = g.id where i.id = $1
       union all select 'session', sold, held from event_session where event_id = $2
       union all select 'sales period', sold, held from sale_period where item_id = $1`,
      [itemId, eventId],
    );
    const { rows: money } = await client.query(
      `select (select coalesce(sum(amount), 0)::bigint from payment where event_id = $1 and status = 'approved')::text as paid,
              (select coalesce(sum(total), 0)::bigint from ticket_order where event_id = $1 and status = 'approved')::text as owed,
              (select count(*)::int from idempotency_key where answer is null) as unanswered`,
      [eventId],
    );
    return { orders, counters, ...money[0] };
  } finally {
    await client.end();
  }
}

/** Each line with whether it holds. */
function prove({ orders, counters, paid, owed, unanswered }, acknowledged) {
  const sum = (list, of) => list.reduce((total, each) => total + of(each), 0);
  const approved = orders.filter(({ status }) => status === 'approved');
  const sold = sum(approved, (order) => order.quantity);
  const tickets = sum(orders, (order) => order.tickets);
  const byId = new Map(orders.map((order) => [order.id, order]));
  const lost = [...acknowledged].filter(([id, known]) => {
    const row = byId.get(id);
    const due = known.status === 'approved' ? known.quantity : 0;
    return row?.status !== known.status || row.quantity !== known.quantity || row.tickets !== due;
  });
  const unknown = orders.filter(({ id }) => !acknowledged.has(id));
  const wrong = counters.filter((counter) => counter.sold !== sold || counter.held !== 0);
  return [
    [sold === quantity, `sold ${sold} of ${quantity}, ${Math.max(0, sold - quantity)} over`],
    [tickets === quantity, `${tickets} valid tickets`],
    [lost.length === 0, `${lost.length} of ${acknowledged.size} acknowledged orders lost or not as they were acknowledged`],
    [unknown.length === 0, `${unknown.length} orders that nobody was told of (a retry that became a second order)`],
    [wrong.length === 0, `counters = rows: ${counters.map((each) => `${each.name} ${each.sold}`).join(', ')}; nothing on hold`],
    [paid === owed, `paid ${(Number(paid) / 100).toFixed(2)} = owed ${(Number(owed) / 100).toFixed(2)}`],
    [unanswered === 0, `${unanswered} idempotency keys without an answer`],
  ];
}

const cut = setTimeout(
  () => {
    console.error('This takes too long: given up');
    process.exit(1);
  },
  (mostSeconds + 60) * 1_000,
);
console.log(`Starting the service on a folder of its own, with ${quantity} tickets of one item and ${buyers} buyers at a time.`);
const service = await startService();
// Only now: in a checkout the start compiles what this needs.
const { openShop } = await import('./shop.mjs');
const browser = new Browser({ port: service.port, connections: buyers, cutOneIn: 25, deadline: Date.now() + mostSeconds * 1_000 });
try {
  const place = await (await openShop(service.api)).createEvent({ quantity });
  console.log(
    'One in 7 gives the order up (by cancelling: a hold would run out after ten minutes), one in 20 cards is declined at first, and\n' +
      'one in 25 requests loses its connection and is sent again with the same Idempotency-Key.\n',
  );
  const { acknowledged, tally, seconds } = await sellOut({
    browser,
    place,
    quantity,
    buyers,
    leaveOneIn: 7,
    declineOneIn: 20,
    onProgress: showProgress,
  });
  showProgress.next = 0;
  showProgress(tally, acknowledged.size);
  const { requests, cuts, busy, replayed } = browser.counts;
  console.log(
    `\n\n${requests} requests: ${cuts} cut connections and ${busy} busy answers, all sent again; ${replayed} were told what they had got before.`,
  );
  console.log(`${tally.refused} orders were refused while what was left was on hold or less than they wanted.\n`);
  const proof = prove(await readRows(service, place), acknowledged);
  for (const [holds, line] of proof) console.log(`${holds ? 'ok  ' : 'FAIL'}  ${line}`);
  const times = browser.latencies.toSorted((a, b) => a - b);
  const at = (share) => times[Math.floor(times.length * share)]?.toFixed(0);
  console.log(
    `\n${Math.round(acknowledged.size / seconds)} orders/s (${Math.round(requests / seconds)} requests/s) for ${seconds.toFixed(1)} s; ` +
      `an order took ${at(0.5)} ms (p50), ${at(0.99)} ms (p99). The buyers share the machine with the service.`,
  );
  if (!proof.every(([holds]) => holds)) process.exitCode = 1;
} catch (error) {
  console.error(`\n${error.stack}`);
  process.exitCode = 1;
} finally {
  browser.close();
  await service.stop();
  clearTimeout(cut);
}
