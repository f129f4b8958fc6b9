import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';

interface Body {
  transaction_amount: number;
  external_reference: string;
  date_of_expiration: string;
  status?: string;
  amount?: number;
}

interface StoredPayment extends Body {
  id: number;
  status: string;
  status_detail: string;
  date_last_updated: string;
  fee_details: { type: string; amount: number; fee_payer: string }[];
  point_of_interaction: object;
  refunds: { id: number; payment_id: number; amount: number; status: string; date_created: string }[];
}

type Fault = 'cut_after_effect' | 'cut_before_effect' | 'cut_body' | 'error_after_effect' | 'rate_limit';
interface Response {
  status: number;
  body: unknown;
}

const failure = (status: number, message: string): Response => ({ status, body: { status, error: 'bad_request', message, cause: [] } });

/** The part of the API of Mercado Pago that the adapter uses. */
export class MercadoPagoStandIn {
  readonly accessToken = 'TEST-stand-in-token';
  readonly webhookSecret = 'secret-signature';
  readonly payments = new Map<number, StoredPayment>();
  readonly faults: Fault[] = [];
  refundStatus = 'approved';
  clock = new Date('2026-11-20T12:00:00Z');
  readonly #responses = new Map<string, { request: string; response: Response }>();
  #ids = 1_000_000;

  pay(id: string): void {
    this.#change(id, { status: 'approved', status_detail: 'accredited' }, [
      { type: 'mercadopago_fee', amount: 0.99, fee_payer: 'collector' },
    ]);
  }

  expire(id: string): void {
    this.#change(id, { status: 'cancelled', status_detail: 'expired' });
  }

  /** Signs a notice as documented: the body is not part of the signature. */
  notice(id: string, { secret = this.webhookSecret, ts = this.clock.getTime() / 1000, type = 'payment' } = {}) {
    const requestId = `request-${++this.#ids}`;
    const hash = createHmac('sha256', secret).update(`id:${id};request-id:${requestId};ts:${ts};`).digest('hex');
    const raw = Buffer.from(JSON.stringify({ id: 1, type, action: 'payment.updated', data: { id } }));
    return { raw, headers: { 'x-signature': `ts=${ts},v1=${hash}`, 'x-request-id': requestId } };
  }

  respond(method: string, url: URL, headers: IncomingMessage['headers'], text: string): Response {
    if (headers.authorization !== `Bearer ${this.accessToken}`) return failure(401, `Invalid token ${headers.authorization}`);
    const body = (text ? JSON.parse(text) : {}) as Body;
    if (method === 'GET') return this.#read(url, headers);
    const key = headers['x-idempotency-key'];
    if (typeof key !== 'string') return failure(400, 'X-Idempotency-Key is required');
    const request = `${method} ${url.pathname} ${text}`;
    const saved = this.#responses.get(key);
    if (saved) return saved.request === request ? saved.response : failure(409, 'The key was used for another request');
    const response = this.#write(method, url, headers, body);
    this.#responses.set(key, { request, response });
    return response;
  }

  #read(url: URL, headers: IncomingMessage['headers']): Response {
    const [, id, list] = /^\/v1\/payments\/(\w+)(\/refunds\/)?$/.exec(url.pathname) ?? [];
    if (id === 'search') return { status: 200, body: { results: this.#search(url.searchParams) } };
    const payment = this.payments.get(Number(id));
    if (!payment) return failure(404, 'Payment not found');
    if (list && headers['x-render-in-process-refunds'] !== 'true') return failure(400, 'Refunds in process are hidden');
    return { status: 200, body: list ? payment.refunds : payment };
  }

  #search(parameters: URLSearchParams): object[] {
    const { external_reference: reference, begin_date: begin, limit = '30' } = Object.fromEntries(parameters);
    const found = [...this.payments.values()]
      .filter((payment) => reference === undefined || payment.external_reference === reference)
      .filter((payment) => begin === undefined || Date.parse(payment.date_last_updated) >= Date.parse(begin))
      .toSorted((a, b) => Date.parse(a.date_last_updated) - Date.parse(b.date_last_updated));
    return found.slice(0, Number(limit)).map(({ fee_details: _fees, ...payment }) => payment);
  }

  #write(method: string, url: URL, headers: IncomingMessage['headers'], body: Body): Response {
    if (method === 'POST' && url.pathname === '/v1/payments') return this.#create(body);
    const [, id, refunds] = /^\/v1\/payments\/(\d+)(\/refunds)?$/.exec(url.pathname) ?? [];
    const payment = this.payments.get(Number(id));
    if (!payment) return failure(404, 'Payment not found');
    if (refunds) return this.#refund(payment, body.amount ?? 0, headers);
    if (method !== 'PUT' || body.status !== 'cancelled' || payment.status !== 'pending') return failure(400, 'Not valid action');
    return { status: 200, body: this.#change(String(id), { status: 'cancelled', status_detail: 'by_collector' }) };
  }

  #create(body: Body): Response {
    if (Date.parse(body.date_of_expiration) - this.clock.getTime() < 30 * 60_000) return failure(400, 'date_of_expiration is too early');
    const id = ++this.#ids;
    const transactionData = { qr_code: `00020126-pix-${id}`, qr_code_base64: 'aW1hZ2U=', ticket_url: 'https://example.com/ticket' };
    const payment = {
      ...body,
      id,
      status: 'pending',
      status_detail: 'pending_waiting_transfer',
      date_last_updated: this.clock.toISOString(),
      fee_details: [],
      point_of_interaction: { transaction_data: transactionData },
      refunds: [],
    };
    this.payments.set(id, payment);
    return { status: 201, body: payment };
  }

  #refund(payment: StoredPayment, amount: number, headers: IncomingMessage['headers']): Response {
    const refunded = payment.refunds.reduce((sum, refund) => sum + refund.amount, 0);
    if (payment.status !== 'approved' || amount + refunded > payment.transaction_amount) return failure(400, 'Invalid amount for refund');
    const status = this.refundStatus;
    const refund = { id: ++this.#ids, payment_id: payment.id, amount, status, date_created: this.clock.toISOString() };
    payment.refunds.push(refund);
    if (status === 'in_process' && headers['x-render-in-process-refunds'] !== 'true') return failure(400, 'The refund is in process');
    return { status: 201, body: refund };
  }

  #change(id: string, changes: Partial<StoredPayment>, fees: StoredPayment['fee_details'] = []): StoredPayment {
    const payment = this.payments.get(Number(id));
    if (payment?.status !== 'pending') throw new Error(`The payment ${id} is ${payment?.status ?? 'unknown'}.`);
    const changed = { ...payment, ...changes, fee_details: fees, date_last_updated: this.clock.toISOString() };
    this.payments.set(payment.id, changed);
    return changed;
  }
}

/** Starts a stand-in. The package has no setting for the address, so the test replaces `fetch`. */
export function useMercadoPago(): MercadoPagoStandIn {
  const standIn = new MercadoPagoStandIn();
  const server = createServer((request, response) => void serve(standIn, request, response));
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', (url: string, options: RequestInit) => fetch(url.replace('https://api.mercadopago.com', origin), options));
  });
  afterEach(() => {
    standIn.faults.length = 0;
    standIn.refundStatus = 'approved';
  });
  afterAll(() => {
    vi.unstubAllGlobals();
    server.closeAllConnections();
    server.close();
  });
  return standIn;
}

async function serve(standIn: MercadoPagoStandIn, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const fault = standIn.faults.shift();
  if (fault === 'cut_before_effect') {
    request.socket.destroy();
    return;
  }
  const limited = fault === 'rate_limit' ? failure(429, 'Too many requests') : undefined;
  const result = limited ?? standIn.respond(request.method ?? '', new URL(request.url ?? '', 'http://stand-in'), request.headers, text);
  const { status, body } = fault === 'error_after_effect' ? failure(500, 'Internal error') : result;
  const bytes = Buffer.from(JSON.stringify(body));
  if (fault === 'cut_after_effect') request.socket.destroy();
  else if (fault === 'cut_body') {
    response.writeHead(status, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, 10), () => request.socket.destroy());
  } else response.writeHead(status, { 'content-type': 'application/json' }).end(bytes);
}
