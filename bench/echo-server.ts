// The control of S1, S3 and S8: bare Fastify that validates the body of a request with the same schema and sends the body back.
import Fastify from 'fastify';
import { doorContract } from '../src/door/contract.ts';
import { ordersContract } from '../src/orders/contract.ts';
import { listen } from './control-server.ts';

const operations = new Map(Object.entries({ createOrder: ordersContract.createOrder, makeCheckins: doorContract.makeCheckins }));
const operation = operations.get(process.argv[2] ?? '');
if (!operation) throw new Error(`echo-server.ts knows ${[...operations.keys()].join(', ')}`);
const { path, body, answer } = operation;

// The schema is copied without its symbols, because Ajv refuses the symbols that TypeBox adds.
const schema: unknown = JSON.parse(JSON.stringify(body));
const app = Fastify();
app.post(`/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, { schema: { body: schema } }, (request, reply) =>
  reply.code(answer.status).send(request.body),
);
await listen(app);
