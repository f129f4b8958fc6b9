// The control of S4: bare Fastify that sends the same bytes as the event page.
import Fastify from 'fastify';
import { listen } from './control-server.ts';

const page = process.argv[2] ?? '';
const app = Fastify();
app.get('/', (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(page));
await listen(app);
