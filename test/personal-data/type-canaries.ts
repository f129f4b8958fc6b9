import { expect } from 'vitest';
import type { Export } from '../../src/exports/contract.ts';
import { systemAct } from '../../src/kernel/act.ts';
import type { PlacedOrder } from '../../src/orders/order-schemas.ts';
import { openFiles } from '../../src/platform/files/open-files.ts';
import { createMailer } from '../../src/platform/mail/create-mailer.ts';
import { type Mailer, MailRejected } from '../../src/platform/mail/mailer.ts';
import { jobsOf } from '../../src/worker/start-worker.ts';
import { exportContextOf, runExport } from '../exports.ts';
import type { World } from '../harness.ts';
import { csvForm } from '../multipart.ts';
import { shopOf } from '../shop.ts';
import { waitingListOf } from '../waiting-list.ts';
import { minutesAfterNoon, password } from '../world.ts';
import { canary } from './marked-columns.ts';

let typed = 0;
/** A person whose name, e-mail address and document contain the canary. */
const somebody = () => ({ name: `Zqcanary ${++typed}`, email: `${canary}${typed}@people.test`, document: `ZQCANARY-${typed}` });

/** Runs all jobs of the worker once. */
export async function runJobs(world: World, mailer?: Mailer): Promise<void> {
  const errors: object[] = [];
  const log = { info: () => undefined, error: (facts: object) => void errors.push(facts) };
  const { config, providers } = world;
  const jobs = jobsOf(config, { mailer: mailer ?? createMailer(config), files: openFiles(config), providers, log });
  for (const { name, work } of jobs) await work(world.db, systemAct(name, world.now), new AbortController().signal);
  expect(errors).toEqual([]);
}

export interface Typed {
  /** The accounts whose name and e-mail address contain the canary. */
  userEmails: string[];
  /** The orders that only `anonymizeOrder` ends: those that were paid. */
  paidOrders: number[];
}

/** Uses the service like people do. Everything that they type about themselves or others contains the canary. */
export async function typeCanaries(world: World): Promise<Typed> {
  const people = await createPeople(world);
  const paidOrders = await placeOrders(world, await createEvent(world));
  await importHolders(world);
  await answerWebhook(world);
  return { userEmails: [...people, await exportGuests(world)], paidOrders };
}

async function createPeople(world: World): Promise<string[]> {
  const { write } = shopOf(world);
  const [user, member, crew] = [somebody(), somebody(), somebody()];
  const created = await world.call('POST', '/users', { as: 'admin', body: { email: user.email, name: user.name, password } });
  expect(created.statusCode).toBe(201);
  await write('POST', `/producers/${world.producer}/members`, { email: member.email, name: member.name, role: 'manager' });
  await write('POST', `/event/${world.event}/crew`, { email: crew.email, name: crew.name, role: 'entrance_operator' });

  const headers = { 'user-agent': `${canary}/1.0` };
  const login = (email: string, secret: string) => world.call('POST', '/auth/login', { body: { email, password: secret }, headers });
  expect((await login(user.email, 'a wrong password')).statusCode).toBe(401);
  expect((await login(somebody().email, 'a wrong password')).statusCode).toBe(401);
  const { accessToken } = (await login(user.email, password)).json<{ accessToken: string }>();
  const token = { name: `Laptop of ${user.name}`, permissions: ['crew.read'] };
  expect((await world.call('POST', '/auth/tokens', { token: accessToken, body: token })).statusCode).toBe(201);
  await write('POST', `/event/${world.event}/devices`, { name: `Phone of ${crew.name}` });
  const factor = { name: `Phone of ${user.name}`, password };
  expect((await world.call('POST', '/auth/factors/totp', { token: accessToken, body: factor })).statusCode).toBe(201);
  return [user.email, member.email, crew.email];
}

/** The events of the tests do not count holds by network. This one does. */
async function createEvent(world: World): Promise<number> {
  const { write } = shopOf(world);
  const basics = { producerId: world.producer, category: 'music', title: 'Night', timezone: 'America/Sao_Paulo' };
  const { id } = await write('POST', '/event', basics);
  await write('POST', `/event/${id}/session`, { name: 'Night', start: '2026-06-01 20:00:00', finish: '2026-06-01 23:00:00' });
  await write('POST', `/event/${id}/publish`, {});
  return id;
}

async function placeOrders(world: World, eventId: number): Promise<number[]> {
  const shop = shopOf(world);
  const item = { item: { eventId }, attributes: { maximumPerBuyer: 5 } };
  const itemId = await shop.newItem(item);
  const freeItemId = await shop.newItem({ ...item, values: { price: 0, feeSale: 0, feeProducer: 0 } });
  const more = () => ({ eventId, buyer: somebody() });
  const one = [{ itemId, quantity: 1 }];

  const paid = await shop.buy([{ itemId, quantity: 2 }], more());
  const free = await shop.buy([{ itemId: freeItemId, quantity: 1 }], more());
  const refunded = await shop.buy(one, more());
  expect((await world.call('POST', `/orders/${refunded.id}/refund`, { as: 'owner', body: {} })).statusCode).toBe(200);
  const note = { text: `${somebody().name} called` };
  expect((await world.call('POST', `/orders/${paid.id}/notes`, { as: 'owner', body: note })).statusCode).toBe(201);
  const corrected = { email: somebody().email };
  expect((await world.call('PUT', `/orders/${paid.id}/buyer/email`, { as: 'owner', body: corrected })).statusCode).toBe(200);
  const cancelled = await shop.hold(one, more());
  expect((await shop.cancel(cancelled)).statusCode).toBe(200);
  const keyed = await world.call('POST', '/orders', { body: { items: one, ...more() }, headers: { 'idempotency-key': 'one-time-key' } });
  expect(keyed.statusCode).toBe(201);
  const byPix = await payByPix(world, await shop.hold(one, more()));
  await leaveUnpaid(world, await shop.hold(one, more()));
  await joinWaitingList(world);
  await failMails(world);
  return [paid.id, free.id, refunded.id, byPix.id];
}

/** One address is never confirmed, and one waits until the event is over. */
async function joinWaitingList(world: World): Promise<void> {
  const [shop, list] = [shopOf(world), waitingListOf(world)];
  const itemId = await shop.newItem({ item: { quantity: 1 } });
  await shop.buy([{ itemId, quantity: 1 }]);
  expect((await list.join({ itemId, email: somebody().email })).statusCode).toBe(202);
  await list.wait({ itemId, email: somebody().email });
}

/** The sandbox sends notices without names. Other providers may name the payer, so the test adds a name to an applied and a failed notice. */
async function payByPix(world: World, order: PlacedOrder): Promise<PlacedOrder> {
  const body = { method: 'pix', outcome: 'approve' };
  expect((await world.call('POST', `/orders/${order.id}/payment?secret=${order.secret}`, { body })).statusCode).toBe(201);
  world.now = minutesAfterNoon(1);
  await runJobs(world);
  await runJobs(world);
  await world.pool.query(
    `insert into payment_notice (event_id, provider, notice_id, type, raw, reference, content, received_at, due_at, status, outcome)
     select event_id, provider, 'parked', type, raw, reference, content, received_at, due_at, 'failed', 'failed: broken' from payment_notice`,
  );
  const { rowCount } = await world.pool.query(`update payment_notice set raw = raw || $1`, [somebody().name]);
  expect(rowCount).toBe(2);
  return order;
}

/** A receiver of webhooks may repeat the message in its response. */
async function answerWebhook(world: World): Promise<void> {
  const webhooks = `/producers/${world.producer}/webhooks`;
  const created = await world.call('POST', webhooks, {
    as: 'owner',
    body: { url: 'https://hooks.example.com/', types: ['order.approved'] },
  });
  expect((await world.call('POST', `${webhooks}/${created.json<{ id: number }>().id}/test`, { as: 'owner' })).statusCode).toBe(202);
  await world.pool.query(`update webhook_delivery set status = 'delivered', response = $1`, [somebody().name]);
}

/** Only a boleto needs an address, and the sandbox has none. So the test adds the address to a payment that nobody pays. */
async function leaveUnpaid(world: World, order: PlacedOrder): Promise<void> {
  const body = { method: 'pix', outcome: 'never' };
  expect((await world.call('POST', `/orders/${order.id}/payment?secret=${order.secret}`, { body })).statusCode).toBe(201);
  const address = JSON.stringify({ line1: somebody().name });
  await world.pool.query('update payment set buyer_address = $2 where order_id = $1', [order.id, address]);
}

/** A mail server may repeat the address when it rejects a mail. */
async function failMails(world: World): Promise<void> {
  const order = await shopOf(world).buy([{ itemId: await shopOf(world).newItem(), quantity: 1 }]);
  const rejecting: Mailer = {
    send: async ({ to }) => {
      throw new MailRejected(`550 ${to.address} ${somebody().email} is unknown`);
    },
    close: () => undefined,
  };
  await runJobs(world, rejecting);
  expect(order.id).toBeGreaterThan(0);
}

async function importHolders(world: World): Promise<void> {
  const [first, second] = [somebody(), somebody()];
  const rows = `code,itemId,name,document\nA-1,${world.item},${first.name},${first.document}\nA-2,${world.item},${second.name},\n`;
  const { body, headers } = csvForm(rows);
  expect((await world.call('POST', `/events/${world.event}/codes`, { as: 'owner', body, headers })).statusCode).toBe(201);
}

/** The manager has a new address with the canary, so the mail about the file contains the canary too. Returns the address. */
async function exportGuests(world: World): Promise<string> {
  const [{ email, name }, renamed] = [somebody(), somebody()];
  for (const body of [{ email, name }, { name: renamed.name }])
    expect((await world.call('PUT', `/users/${world.users.manager}`, { as: 'admin', body })).statusCode).toBe(200);
  const body = { type: 'guestlist', filters: [{ name: 'term', value: somebody().name }] };
  const asked = await world.call('POST', `/event/${world.event}/export`, { as: 'manager', body });
  expect(asked.statusCode, asked.body).toBe(202);
  await runExport(exportContextOf(world), asked.json<Export>().id);
  return email;
}
