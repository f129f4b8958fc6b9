/** The control of S1, S3 and S8: nothing but Fastify, which reads the body of an operation, checks it against the same schema and sends it back. */
import Fastify from 'fastify';
import { doorContract } from '../dist/door/contract.js';
import { ordersContract } from '../dist/orders/contract.js';

const { path, body, answer } = { ...ordersContract, ...doorContract }[process.argv[2]];
// Without what only describes: Fastify takes no keywords that it does not know.
const schema = JSON.parse(JSON.stringify(body));
const app = Fastify();
app.post(`/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, { schema: { body: schema } }, (request, reply) =>
  reply.code(answer.status).send(request.body),
);
await app.listen({ port: 0, host: '127.0.0.1' });
process.on('disconnect', () => process.exit());
process.send?.(app.server.address().port);
