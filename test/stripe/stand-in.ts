import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { testSeed } from '../random.ts';
import { platformAccount, putAccount } from './accounts.ts';
import { Api, type ApiResponse } from './api.ts';
import { type Control, createControl } from './control.ts';
import { Faults } from './faults.ts';
import { Journal } from './journal.ts';
import { apiVersion, type Fee, State } from './state.ts';
import type { MethodType } from './store.ts';
import { type Endpoint, Webhooks } from './webhooks.ts';

export interface StandInOptions {
  port?: number;
  secretKey?: string;
  /** Keeps the state in this file, so that a restarted stand-in continues with it. By default the state is in memory. */
  stateFile?: string;
  endpoint?: Endpoint;
  /** The connected accounts. `putAccount` adds more. */
  accounts?: string[];
  fees?: Partial<Record<MethodType, Fee>>;
  seed?: number;
  /** The clock of the stand-in, for services that have a clock of their own. By default it is the clock of the machine. */
  clock?: () => Date;
}

type ClientOptions = NonNullable<ConstructorParameters<typeof Stripe>[1]>;

/** A running stand-in for Stripe, in the process of the test. */
export interface StandIn extends Control {
  origin: string;
  secretKey: string;
  /** Creates a client of the package `stripe` for this stand-in. By default it does not retry. */
  client(options?: ClientOptions): Stripe;
  close(): Promise<void>;
}

export const defaultSecretKey = 'sk_test_tessera_stand_in_0001';
const controlPrefix = '/_control/';

/** Counts the stand-ins of a process, so that each creates ids of its own. */
let started = 0;

export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const { port = 0, secretKey = defaultSecretKey, stateFile, endpoint, accounts = [], fees, seed = testSeed, clock } = options;
  const journal = stateFile ? new Journal(stateFile) : undefined;
  const given = { ...(journal && { journal }), ...(fees && { fees }), ...(clock && { clock }) };
  const state = new State({ secretKey, seed, index: ++started, ...given });
  for (const id of [platformAccount, ...accounts]) if (!state.store.find('account', id)) putAccount(state, id);
  state.store.flush();
  const faults = new Faults(seed);
  const api = new Api(state, faults);
  const webhooks = new Webhooks(state);
  if (endpoint) webhooks.setEndpoint(endpoint);
  const control = createControl(state, api, faults, webhooks);
  const server = createServer((request, response) => void serve(api, control, request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    ...control,
    origin: `http://127.0.0.1:${actualPort}`,
    secretKey,
    client: (clientOptions) => createClient(actualPort, secretKey, clientOptions),
    close: async () => {
      faults.clear();
      await webhooks.idle();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      state.store.close();
    },
  };
}

export const createClient = (port: number, secretKey: string, options: ClientOptions = {}): Stripe =>
  new Stripe(secretKey, { apiVersion, host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0, telemetry: false, ...options });

async function serve(api: Api, control: Control, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const url = new URL(request.url ?? '/', 'http://stand-in');
    const body = await readBody(request);
    if (url.pathname.startsWith(controlPrefix)) {
      await serveControl(control, url.pathname.slice(controlPrefix.length), body, response);
      return;
    }
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const apiRequest = { method: request.method ?? '', path: url.pathname, query: url.search.slice(1), headers, body };
    send(await api.respond(apiRequest), request, response);
  } catch (error) {
    // A mistake in the stand-in must not look like an error of Stripe.
    response.writeHead(599, { 'content-type': 'text/plain' }).end(`The stand-in failed: ${String(error)}`);
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function send({ status, body, headers, cut }: ApiResponse, request: IncomingMessage, response: ServerResponse): void {
  if (cut === 'connection') {
    request.socket.destroy();
    return;
  }
  const bytes = Buffer.from(`${JSON.stringify(body, null, 2)}\n`);
  response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': bytes.length });
  if (cut === 'body') response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy());
  else response.end(bytes);
}

/** `POST /_control/payPix` with a JSON array of arguments calls the function `payPix`. */
async function serveControl(control: Control, name: string, body: string, response: ServerResponse): Promise<void> {
  const run = Object.hasOwn(control, name) ? (control[name as keyof Control] as (...args: unknown[]) => unknown) : undefined;
  const [status, answer] = await call(run, name, body);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

async function call(run: ((...args: unknown[]) => unknown) | undefined, name: string, body: string): Promise<[number, unknown]> {
  if (!run) return [404, { error: `There is no control function ${name}.` }];
  try {
    return [200, { result: (await run(...(JSON.parse(body || '[]') as unknown[]))) ?? null }];
  } catch (error) {
    return [400, { error: error instanceof Error ? error.message : String(error) }];
  }
}
