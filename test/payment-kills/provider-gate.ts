import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../random.ts';

/** What a request to the provider starts. */
export type Kind = 'card' | 'pix' | 'refund';

/** `request`: before the provider gets the request. `response`: after its effect, before the service gets the response. */
type Stage = 'request' | 'response';

interface Call {
  kind: Kind;
  /** Our name of the payment or refund. */
  reference: string;
  orderId: number;
}

/** A request that the gate keeps until the test decides. */
export interface CaughtCall extends Call {
  pass(): void;
  /** The request goes no further, and its connection is closed. */
  drop(): void;
}

interface Trap {
  kind: Kind;
  stage: Stage;
  spring(caught: CaughtCall): void;
}

/** The share of the responses that are late, and by how much. */
const late = { share: 0.1, ms: 150 };

/** Forwards the requests of the service to the provider. A test can catch a request at a stage and kill the service there. */
export class ProviderGate {
  readonly #target: string;
  readonly #dice: Dice;
  readonly #traps: Trap[] = [];
  readonly #answered = new Map<string, number>();
  readonly #server = createServer((request, response) => void this.#forward(request, response));

  constructor(target: string, dice: Dice) {
    this.#target = target;
    this.#dice = dice;
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Resolves with the next request of this kind when it is at this stage. */
  catchNext(kind: Kind, stage: Stage): Promise<CaughtCall> {
    return new Promise((resolve) => this.#traps.push({ kind, stage, spring: resolve }));
  }

  /** The number of responses of the provider to requests about this payment or refund. */
  answersOf(reference: string): number {
    return this.#answered.get(reference) ?? 0;
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const cut = (): void => void request.socket.destroy();
    response.on('error', cut);
    try {
      const body = await text(request);
      const call = callOf(request, body);
      if (await this.#isDropped(call, 'request')) return cut();
      const received = await this.#send(request, body);
      if (call) this.#answered.set(call.reference, this.answersOf(call.reference) + 1);
      if (await this.#isDropped(call, 'response')) {
        received.destroy();
        return cut();
      }
      if (this.#dice.chance(late.share)) await sleep(this.#dice.below(late.ms));
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.on('error', cut).pipe(response);
    } catch {
      // The provider has cut the connection.
      cut();
    }
  }

  #send({ url = '/', method, headers }: IncomingMessage, body: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      sendRequest(new URL(url, this.#target), { method, headers, agent: false }, resolve).on('error', reject).end(body);
    });
  }

  async #isDropped(call: Call | null, stage: Stage): Promise<boolean> {
    const index = this.#traps.findIndex((trap) => trap.kind === call?.kind && trap.stage === stage);
    const [trap] = index < 0 ? [] : this.#traps.splice(index, 1);
    if (!call || !trap) return false;
    return new Promise((resolve) => trap.spring({ ...call, pass: () => resolve(false), drop: () => resolve(true) }));
  }
}

/** Null for requests that move no money. */
function callOf({ method, url }: IncomingMessage, body: string): Call | null {
  if (method !== 'POST') return null;
  const form = new URLSearchParams(body);
  const about = { reference: form.get('metadata[reference]') ?? '', orderId: Number(form.get('metadata[order]')) };
  if (url === '/v1/refunds') return { kind: 'refund', ...about };
  if (url !== '/v1/payment_intents') return null;
  return { kind: form.get('payment_method_data[type]') === 'pix' ? 'pix' : 'card', ...about };
}
