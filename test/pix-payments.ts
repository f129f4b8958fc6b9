import { createHmac } from 'node:crypto';
import { afterEach, beforeAll, expect } from 'vitest';
import { type Act, systemAct } from '../src/kernel/act.ts';
import type { Order, OrderPayment, PlacedOrder } from '../src/orders/order-schemas.ts';
import type { OrderTicket } from '../src/orders/ticket-contract.ts';
import { applyNotices } from '../src/payments/apply-notices.ts';
import { finishRefunds } from '../src/payments/finish-refunds.ts';
import type { Providers } from '../src/payments/providers/open-providers.ts';
import type { Database, Tx } from '../src/postgres/database.ts';
import { inTransaction } from '../src/postgres/transaction.ts';
import { auditFindings } from './audit-findings.ts';
import type { World } from './harness.ts';
import { noon } from './world.ts';

interface NoticeToSend {
  id?: string;
  reference: string;
  event?: string;
  amount?: number;
}

/**
 * Returns functions for PIX payments of the sandbox, with notices that the test signs itself. Call it once at the top of a test file. After
 * each test it sets the time back to noon and runs the audit.
 */
export function pixPaymentsOf(world: World) {
  let secret = '';
  let sent = 0;
  beforeAll(async () => {
    secret = (await world.call('GET', '/payments/sandbox', { as: 'admin' })).json<{ secret: string }>().secret;
  });
  afterEach(async () => {
    world.now = noon;
    const findings = await auditFindings(world.db);
    if (findings.length > 0) throw new Error(findings.join('\n'));
  });

  const run = <T>(job: (db: Database, act: Act, providers: Providers, signal: AbortSignal) => Promise<T>): Promise<T> =>
    job(world.db, systemAct('test', world.now), world.providers, new AbortController().signal);
  const runInTransaction = <T>(job: (tx: Tx, act: Act) => Promise<T>): Promise<T> =>
    inTransaction(world.db, {}, (tx) => job(tx, systemAct('test', world.now)));
  const rowsOf = async (statement: string, ...values: unknown[]) => (await world.pool.query(statement, values)).rows as unknown[];

  const payPix = (order: PlacedOrder, outcome = 'never') =>
    world.call('POST', `/orders/${order.id}/payment?secret=${order.secret}`, { body: { method: 'pix', outcome } });

  async function startPix(order: PlacedOrder, outcome = 'never'): Promise<OrderPayment & { reference: string }> {
    const answer = await payPix(order, outcome);
    expect(answer.statusCode).toBe(201);
    return answer.json<Order>().payments.at(-1) as OrderPayment & { reference: string };
  }

  const read = async ({ id, secret: own }: PlacedOrder) => (await world.call('GET', `/orders/${id}?secret=${own}`)).json<Order>();
  const ticketsOf = async ({ id, secret: own }: PlacedOrder) =>
    (await world.call('GET', `/orders/${id}/tickets?secret=${own}`)).json<{ data: OrderTicket[] }>().data;
  const noticesOf = (reference: string) => rowsOf('select status, outcome from payment_notice where reference = $1 order by id', reference);

  const signatureOf = (text: string): string => createHmac('sha256', secret).update(text).digest('hex');

  /** `headers` replace the valid signature. */
  function sendNotice({ id = `n-${++sent}`, reference, event = 'paid', amount = 5500 }: NoticeToSend, headers?: Record<string, string>) {
    const payload = JSON.stringify({ id, reference, event, amount, at: world.now.toISOString() });
    return world.app.inject({
      method: 'POST',
      url: '/v1/payments/sandbox/notices',
      headers: { 'content-type': 'application/json', ...(headers ?? { 'x-sandbox-signature': signatureOf(payload) }) },
      payload,
    });
  }

  async function sendAndApply(...notices: NoticeToSend[]): Promise<void> {
    for (const notice of notices) expect((await sendNotice(notice)).statusCode).toBe(202);
    await run(applyNotices);
    await run(finishRefunds);
  }

  return { run, runInTransaction, rowsOf, payPix, startPix, read, ticketsOf, noticesOf, signatureOf, sendNotice, sendAndApply };
}
