// Buy tickets. An order is held for ten minutes, and its secret gives access to it.
import { createClient, outcome } from 'tessera-client';

const client = createClient({ environment: 'local', hosts: process.env.TESSERA_API });

const buyer = { name: 'Ana Souza', email: 'ana@example.com' };
const order = await client.orders.create({ eventId: 1, items: [{ itemId: 6, quantity: 2 }], buyer });
const { id, secret } = order;
console.log(`Order ${id} is ${order.status} until ${order.expiresAt}`);

const declined = await outcome(client.orders.pay({ id, secret, method: 'card', outcome: 'decline' }));
if (!declined.ok && declined.problem.code === 'payment_declined') console.log(declined.problem.detail);

const paid = await client.orders.pay({ id, secret, method: 'card' });
const { data: tickets } = await client.orders.tickets({ id, secret });
console.log(`Order ${id} is ${paid.status}, with ${tickets.length} tickets`);
