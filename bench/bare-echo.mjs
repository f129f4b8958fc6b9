/** The control of figures S1 and S3: nothing but Fastify, which reads an order, checks it against the same schema and sends it back. */
import Fastify from 'fastify';
import { ordersContract } from '../dist/orders/contract.js';

// Without what only describes: Fastify takes no keywords that it does not know.
const schema = JSON.parse(JSON.stringify(ordersContract.createOrder.body));
const app = Fastify();
app.post('/v1/orders', { schema: { body: schema } }, (request, reply) => reply.code(201).send(request.body));
await app.listen({ port: 0, host: '127.0.0.1' });
process.on('disconnect', () => process.exit());
process.send?.(app.server.address().port);
