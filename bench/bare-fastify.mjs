/** The control of figure S4: nothing but Fastify and the bytes. */
import Fastify from 'fastify';

const body = process.env.BODY ?? '';
const app = Fastify();
app.get('/', (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(body));
await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.(app.server.address().port);
