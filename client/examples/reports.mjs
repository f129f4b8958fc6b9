// After the show: who came, and what was earned.
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
