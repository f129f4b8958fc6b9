// The control of S4 and S9: bare Fastify that sends the same bytes as the event page.
import Fastify from 'fastify';
import { listen } from './control-server.ts';

interface Page {
  path: string;
  headers: Record<string, string>;
  /** In Base64 */
  body: string;
}

const { path, headers, body } = JSON.parse(process.argv[2] ?? '') as Page;
const bytes = Buffer.from(body, 'base64');
const app = Fastify();
app.get(path, (_request, reply) => reply.headers(headers).send(bytes));
await listen(app);
