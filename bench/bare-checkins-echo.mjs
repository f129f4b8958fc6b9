/** The control of figure S8: nothing but Fastify, which reads a batch of scans, checks it against the same schema and sends it back. */
import Fastify from 'fastify';
import { doorContract } from '../dist/door/contract.js';

const schema = JSON.parse(JSON.stringify(doorContract.makeCheckins.body));
const app = Fastify();
app.post('/v1/event/:eventId/checkins', { schema: { body: schema } }, (request, reply) => reply.send(request.body));
await app.listen({ port: 0, host: '127.0.0.1' });
process.on('disconnect', () => process.exit());
process.send?.(app.server.address().port);
