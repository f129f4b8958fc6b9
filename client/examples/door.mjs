// Check in scanned tickets, one by one or as the log of a device that was offline.
import { createClient } from 'tessera-client';

const hosts = process.env.TESSERA_API;
const steward = createClient({ environment: 'local', hosts, login: { email: 'door@demo.test', password: 'tessera-demo' } });
const shop = createClient({ environment: 'local', hosts });

const buyer = { name: 'Ana Souza', email: 'ana@example.com' };
const { id, secret } = await shop.orders.create({ eventId: 1, items: [{ itemId: 6, quantity: 1 }], buyer });
await shop.orders.pay({ id, secret, method: 'card' });
const { data: tickets } = await shop.orders.tickets({ id, secret });

const scan = { at: new Date().toISOString(), gate: 'Gate A', device: 'example' };
const entries = tickets.map(({ code }) => ({ ...scan, code, nonce: crypto.randomUUID() }));
const { results } = await steward.door.checkIn({ eventId: 1, entries });
for (const { result, item } of results) console.log(`${item}: ${result}`);

const manifest = await steward.door.manifest({ eventId: 1 });
console.log(`For offline check-in: ${manifest.keys.length} key(s), ${manifest.tickets.length} ticket(s)`);
