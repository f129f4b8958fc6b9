// A part of the controls of S1, S3 and S8: bare Fastify that validates the body of a request with the same schema and sends the body back.
// Before it sends back check-ins, it verifies the signatures of their codes.
import { createPublicKey } from 'node:crypto';
import Fastify from 'fastify';
import { doorContract } from '../src/door/contract.ts';
import { ordersContract } from '../src/orders/contract.ts';
import { type TicketPublicKey, verifyTicketCode } from '../src/tickets/ticket-code.ts';
import { listen } from './control-server.ts';

const operations = new Map(Object.entries({ createOrder: ordersContract.createOrder, makeCheckins: doorContract.makeCheckins }));
const operation = operations.get(process.argv[2] ?? '');
if (!operation) throw new Error(`echo-server.ts knows ${[...operations.keys()].join(', ')}`);
const { path, body, answer } = operation;

/** The key of an event, as the measurement sends it before the check-ins of that event. */
export interface SentKey {
  eventId: number;
  kid: number;
  pem: string;
}

let keys: TicketPublicKey[] = [];

async function verifyAll(given: unknown): Promise<void> {
  const { entries } = given as { entries: { code: string }[] };
  const claims = await Promise.all(entries.map(({ code }) => verifyTicketCode(code, keys)));
  if (claims.includes(null)) throw new Error('A code has no valid signature');
}

// The schema is copied without its symbols, because Ajv refuses the symbols that TypeBox adds.
const schema: unknown = JSON.parse(JSON.stringify(body));
const app = Fastify();
app.post(`/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, { schema: { body: schema } }, async (request, reply) => {
  if (process.argv[2] === 'makeCheckins') await verifyAll(request.body);
  return reply.code(answer.status).send(request.body);
});
app.post('/key', (request, reply) => {
  const { eventId, kid, pem } = request.body as SentKey;
  keys = [{ eventId, kid, publicKey: createPublicKey(pem) }];
  return reply.send({});
});
await listen(app);
