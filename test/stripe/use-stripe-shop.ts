import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, expect } from 'vitest';
import { type Act, systemAct } from '../../src/kernel/act.ts';
import type { Order, OrderPayment, PlacedOrder } from '../../src/orders/order-schemas.ts';
import type { OrderTicket } from '../../src/orders/ticket-contract.ts';
import { applyNotices } from '../../src/payments/apply-notices.ts';
import type { Providers } from '../../src/payments/providers/open-providers.ts';
import { eventTypes } from '../../src/payments/providers/stripe/notices.ts';
import type { Database } from '../../src/postgres/database.ts';
import { auditFindings } from '../audit-findings.ts';
import { useWorld } from '../harness.ts';
import { shopOf } from '../shop.ts';
import { noon } from '../world.ts';
import { stripeSettings, webhookSecret } from './settings.ts';
import { useStandIn } from './use-stand-in.ts';
import type { DeliverOptions, Delivery } from './webhooks.ts';

type Job<T> = (db: Database, act: Act, providers: Providers, signal: AbortSignal) => Promise<T>;

/**
 * Starts the service with the stand-in as its provider, and returns functions for paying orders. Call it once at the top of a test file.
 * Webhooks are held until the test delivers them. After each test it sets the time back to noon and runs the audit.
 */
export function useStripeShop(environment: Record<string, string> = {}) {
  const settings = { ...stripeSettings, ...environment };
  const standIn = useStandIn({ accounts: ['acct_producer'], clock: () => world.now });
  beforeAll(() => {
    settings.STRIPE_API_BASE = standIn.origin;
  });
  const world = useWorld(settings);
  beforeAll(async () => {
    await world.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = world.app.server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1/payments/stripe/notices`;
    standIn.setEndpoint({ url, secret: webhookSecret, enabledEvents: eventTypes, maxAttempts: 1 });
  });
  afterEach(async () => {
    world.now = noon;
    const findings = await auditFindings(world.db);
    if (findings.length > 0) throw new Error(findings.join('\n'));
  });

  const shop = shopOf(world);
  const run = <T>(job: Job<T>): Promise<T> => job(world.db, systemAct('test', world.now), world.providers, new AbortController().signal);
  const rowsOf = async (statement: string, ...values: unknown[]) =>
    (await world.pool.query(statement, values)).rows as Record<string, unknown>[];

  const hold = (more: object = {}): Promise<PlacedOrder> => shop.hold([{ itemId: world.item, quantity: 1 }], more);
  const pay = ({ id, secret }: PlacedOrder, body: object, headers: Record<string, string> = {}) =>
    world.call('POST', `/orders/${id}/payment?secret=${secret}`, { body, headers });

  /** Begins a payment. `intent` is the name of the payment at Stripe. */
  async function start(order: PlacedOrder, body: object): Promise<OrderPayment & { reference: string; intent: string }> {
    const answer = await pay(order, body);
    expect(answer.statusCode, answer.body).toBe(201);
    const payment = answer.json<Order>().payments.at(-1) as OrderPayment & { reference: string };
    return { ...payment, intent: await intentOf(payment.reference) };
  }

  async function intentOf(reference: string): Promise<string> {
    const [row] = await rowsOf('select provider_id from payment where reference = $1', reference);
    return String(row?.provider_id);
  }

  const read = async ({ id, secret }: PlacedOrder) => (await world.call('GET', `/orders/${id}?secret=${secret}`)).json<Order>();
  const ticketsOf = async ({ id, secret }: PlacedOrder) =>
    (await world.call('GET', `/orders/${id}/tickets?secret=${secret}`)).json<{ data: OrderTicket[] }>().data;

  /** Delivers webhooks and lets the worker apply them. */
  async function deliver(options: DeliverOptions = {}): Promise<Delivery[]> {
    const deliveries = await standIn.deliver(options);
    await run(applyNotices);
    return deliveries;
  }

  /** All intents of a reference. More than one means that a buyer can pay twice. */
  async function intentsOf(reference: string | null | undefined) {
    const intents = await standIn.client().paymentIntents.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });
    return intents.filter(({ metadata }) => metadata.reference === reference);
  }

  const chargesOf = (intent: string) =>
    standIn.charges().filter(({ paymentIntent, status }) => paymentIntent === intent && status === 'succeeded');

  return { world, standIn, shop, run, rowsOf, hold, pay, start, intentOf, read, ticketsOf, deliver, intentsOf, chargesOf };
}
