// After the event: read the entry report and the bordero, and export the orders as a file.
import { createClient } from 'tessera-client';

const client = createClient({
  environment: 'local',
  hosts: process.env.TESSERA_API,
  login: { email: 'producer@demo.test', password: 'tessera-demo' },
});

const eventId = 1;
const { totals } = await client.reports.entry({ eventId });
console.log(`${totals.checked} of ${totals.tickets} came in`);

const bordero = await client.reports.bordero({ eventId });
console.log(`${bordero.totals.gross} ${bordero.currency} cents gross, proof ${bordero.hash.slice(0, 8)}`);

const { id } = await client.exports.requestExportList({ eventId });
for await (const { status, rows } of client.exports.watch({ id })) console.log(`Export ${status}, ${rows} row(s)`);

const file = await client.exports.download(await client.exports.get({ id }));
console.log((await file.text()).split('\n')[0]);
