import { describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { lateBuyersOf } from '../../test/late-buyers.ts';
import { statementsOf } from '../../test/statements.ts';
import { type Caller, minutesAfterNoon } from '../../test/world.ts';
import { boxOffice } from '../catalog/item.ts';
import { systemAct } from '../kernel/act.ts';
import { sendMail } from '../platform/mail/send-mail.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { mailRenderersOf } from '../worker/mail-renderers.ts';
import { anonymizeUnpaidOrders } from './anonymize-unpaid-orders.ts';
import type { Order, PlacedOrder } from './order-schemas.ts';
import type { OrderTicket } from './ticket-contract.ts';

const world = useWorld();
const { shop, newBuyer, at, holdAll, holdOne, set, read, payPix, expireAll, limited, countsOf } = lateBuyersOf(world);

const freeValues = { price: 0, feeSale: 0, feeProducer: 0 };
const ticketsOf = async (order: PlacedOrder) => (await world.call('GET', at(order, '/tickets'))).json<{ data: OrderTicket[] }>().data;
const counters = async (itemId: number) =>
  (await world.pool.query<{ sold: number; held: number }>('select sold, held from item where id = $1', [itemId])).rows[0];

async function newEvent(): Promise<number> {
  const { id } = await shop.write('POST', '/event', {
    producerId: world.producer,
    category: 'music',
    title: 'Sale',
    timezone: 'America/Sao_Paulo',
  });
  await shop.write('POST', `/event/${id}/session`, { name: 'Night', start: '2026-06-01 20:00:00', finish: '2026-06-01 23:00:00' });
  await shop.write('POST', `/event/${id}/publish`, {});
  return id;
}

describe('POST /orders without a buyer', () => {
  it('returns 201 and holds the tickets. GET /orders/{id} shows no buyer', async () => {
    const item = await shop.newItem({ item: { quantity: 2 } });
    const order = await holdAll([{ itemId: item, quantity: 2 }]);
    expect(order).toMatchObject({ status: 'held', total: 11000, expiresAt: minutesAfterNoon(10).toISOString() });
    expect(await counters(item)).toEqual({ sold: 0, held: 2 });
    expect((await read(order)).buyer).toBeNull();
    expect((await shop.place([{ itemId: item, quantity: 1 }])).json()).toMatchObject({ status: 409, code: 'sold_out' });
  });

  it('returns 400 for a buyer without an e-mail address, and for a buyer that is null', async () => {
    const items = [{ itemId: world.item, quantity: 1 }];
    for (const buyer of [{ name: 'Bia Lima' }, {}, null]) expect((await shop.place(items, { buyer })).statusCode).toBe(400);
  });

  it('sends no more statements than with a buyer', async () => {
    const item = await shop.newItem();
    const count = async (more: object) => (await statementsOf(() => shop.place([{ itemId: item, quantity: 1 }], more))).statements.length;
    // A new connection of the pool sends statements of its own, so the smallest of several counts is compared.
    const fewest = async (more: () => object) => Math.min(await count(more()), await count(more()), await count(more()));
    const withBuyer = await fewest(() => ({ buyer: newBuyer() }));
    expect(await fewest(() => ({ buyer: undefined }))).toBeLessThanOrEqual(withBuyer);
  });

  it('counts the order against the limit per order, and not against a limit per buyer', async () => {
    const item = await limited(1);
    const tooMany = await shop.place([{ itemId: item, quantity: 501 }], { buyer: undefined });
    expect(tooMany.json()).toMatchObject({ status: 422, errors: [{ field: 'items', code: 'maximum' }] });
    await holdAll([{ itemId: item, quantity: 3 }]);
    expect(await countsOf(item)).toEqual({});
  });

  it('the order can be cancelled and can expire, which releases its tickets', async () => {
    const item = await limited(1, { item: { quantity: 2 } });
    const [first, second] = [await holdOne(item), await holdOne(item)];
    expect((await shop.cancel(first)).json()).toMatchObject({ status: 'cancelled', buyer: null });
    world.now = minutesAfterNoon(10);
    await expireAll();
    expect(await read(second)).toMatchObject({ status: 'expired', buyer: null });
    expect(await counters(item)).toEqual({ sold: 0, held: 0 });
  });

  it('the order is listed, is not found by the name of a buyer, and has nothing to anonymize', async () => {
    const item = await shop.newItem();
    const order = await holdOne(item);
    const list = async (query: string) =>
      (await world.call('GET', `/event/${world.event}/orders?itemId=${item}&${query}`, { as: 'owner' })).json<{ data: Order[] }>().data;
    expect(await list('')).toMatchObject([{ id: order.id, buyer: null }]);
    expect(await list('term=bia')).toEqual([]);
    expect(await list(`term=${order.id}`)).toHaveLength(1);
    const act = systemAct('test', minutesAfterNoon(60));
    const anonymizeAll = () => inTransaction(world.db, {}, (tx) => anonymizeUnpaidOrders(tx, act, act.at, 1000));
    await anonymizeAll();
    await shop.cancel(order);
    expect(await anonymizeAll()).toBe(0);
    const anonymized = await world.call('POST', `/orders/${order.id}/anonymize`, { as: 'admin' });
    expect(anonymized.json()).toMatchObject({ status: 'cancelled', buyer: null });
  });
});

describe('POST /orders/{id}/payment without a buyer', () => {
  it('returns 409 buyer_required and charges nothing. The order can be paid after its buyer is set', async () => {
    const item = await shop.newItem();
    const order = await holdOne(item);
    for (const method of ['card', 'pix']) {
      const answer = await world.call('POST', at(order, '/payment'), { body: { method } });
      expect(answer.json()).toMatchObject({ status: 409, code: 'buyer_required', detail: expect.stringContaining('PUT /orders/') });
    }
    expect(await read(order)).toMatchObject({ status: 'held', payments: [] });
    expect((await set(order, newBuyer())).statusCode).toBe(200);
    expect((await shop.pay(order)).json()).toMatchObject({ status: 'approved', buyer: { name: 'Bia Lima' } });
    const { rows } = await world.pool.query('select holder from ticket where order_id = $1', [order.id]);
    expect(rows).toEqual([{ holder: 'Bia Lima' }]);
  });

  it('accepts cash at the box office: the tickets have no holder, and no mail is sent. A free order needs a buyer', async () => {
    const period = { appCategoryId: boxOffice, start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 10 };
    const crew = { as: 'crew_sales_operator' as Caller };
    const sell = async (values?: typeof freeValues) => {
      const itemId = await shop.newItem(values && { values });
      await shop.write('POST', `/items/${itemId}/sales-period`, period);
      const body = { eventId: world.event, items: [{ itemId, quantity: 1 }], appCategoryId: boxOffice };
      const { id } = (await world.call('POST', '/orders', { ...crew, body })).json<PlacedOrder>();
      return (await world.call('POST', `/orders/${id}/payment`, { ...crew, body: { method: 'cash' } })).json();
    };
    const paid = await sell();
    expect(paid).toMatchObject({ status: 'approved', buyer: null, payments: [{ method: 'cash', status: 'approved' }] });
    const { rows } = await world.pool.query('select holder from ticket where order_id = $1', [paid.id]);
    expect(rows).toEqual([{ holder: null }]);
    const sent: string[] = [];
    const mailer = { send: async ({ subject }: { subject: string }) => void sent.push(subject), close: () => undefined };
    await sendMail(world.db, { mailer, renderers: mailRenderersOf(world.config), from: world.config.mailFrom }, world.now);
    expect(sent.filter((subject) => subject.includes(String(paid.id)))).toEqual([]);
    expect(await sell(freeValues)).toMatchObject({ status: 409, code: 'buyer_required' });
  });
});

describe('PUT /orders/{id}/buyer', () => {
  it('returns 200 with the order, and writes an audit entry without personal data', async () => {
    const order = await holdOne(await shop.newItem());
    const buyer = newBuyer({ document: '123.456.789-09' });
    const answer = await set(order, buyer);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ id: order.id, status: 'held', buyer, testMoney: true });
    expect(await read(order)).toEqual(answer.json());
    const entries = await auditOf(world, answer);
    expect(entries).toMatchObject([{ by: 'anonymous', operation: 'setBuyer', on: `order ${order.id}`, after: { buyer: 'set' } }]);
    expect(JSON.stringify(entries)).not.toMatch(/Bia|bia|123/);
  });

  it('returns 200 again and replaces all fields of the buyer', async () => {
    const order = await holdOne(await shop.newItem());
    await set(order, newBuyer({ document: '123.456.789-09' }));
    const other = { name: 'Caio Reis', email: 'caio@test.test' };
    const answer = await set(order, other);
    expect(answer.json()).toMatchObject({ buyer: { ...other, document: null } });
    expect(await auditOf(world, answer)).toMatchObject([{ after: { buyer: 'replaced' } }]);
    expect((await set(order, other)).json()).toEqual(answer.json());
  });

  it('returns 200 to the crew that sells at the event, and 404 to other callers', async () => {
    const order = await holdOne(await shop.newItem());
    const other = await holdOne(await shop.newItem());
    const body = newBuyer();
    const send = (query: string, as?: Caller) => world.call('PUT', `/orders/${order.id}/buyer${query}`, { body, ...(as && { as }) });
    for (const as of ['admin', 'owner', 'crew_sales_operator'] as const) expect((await send('', as)).statusCode).toBe(200);
    for (const as of ['stranger', 'otherOwner', 'crew_entrance_operator'] as const) expect((await send('', as)).statusCode).toBe(404);
    for (const secret of ['', 'x', other.secret]) expect((await send(`?secret=${secret}`)).statusCode).toBe(404);
    expect((await send('')).statusCode).toBe(404);
    for (const id of [world.missing, 0, 'x'])
      expect((await world.call('PUT', `/orders/${id}/buyer?secret=x`, { body })).statusCode).toBe(404);
  });

  it('returns 400 for the same fields as POST /orders', async () => {
    const order = await holdOne(await shop.newItem());
    const wrong = [
      {},
      { name: 'Bia Lima' },
      { email: 'bia@test.test' },
      { ...newBuyer(), email: 'bia' },
      { ...newBuyer(), name: '' },
      { ...newBuyer(), name: 'x'.repeat(201) },
      { ...newBuyer(), document: 'x'.repeat(41) },
      { ...newBuyer(), document: null },
      { ...newBuyer(), phone: '1' },
      [],
      null,
    ];
    for (const body of wrong) expect((await set(order, body)).statusCode, JSON.stringify(body)).toBe(400);
    expect((await read(order)).buyer).toBeNull();
  });

  it('returns the stored response when an Idempotency-Key is repeated', async () => {
    const order = await holdOne(await shop.newItem());
    const [buyer, headers] = [newBuyer(), { 'idempotency-key': 'set-buyer-1' }];
    const first = await set(order, buyer, headers);
    await set(order, newBuyer());
    const again = await set(order, buyer, headers);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.json()).toEqual(first.json());
    expect((await read(order)).buyer).not.toMatchObject(buyer);
    expect((await set(order, newBuyer(), headers)).json()).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });

  it('returns 412 if If-Match is not the current ETag of the order', async () => {
    const order = await holdOne(await shop.newItem());
    const etag = String((await world.call('GET', at(order))).headers.etag);
    const buyer = newBuyer();
    expect((await set(order, buyer, { 'if-match': etag })).statusCode).toBe(200);
    expect((await set(order, newBuyer(), { 'if-match': etag })).json()).toMatchObject({ status: 412, code: 'stale_version' });
    expect((await read(order)).buyer).toMatchObject(buyer);
    expect((await set(order, newBuyer(), { 'if-match': '*' })).statusCode).toBe(200);
  });

  it('returns 409 wrong_state for orders that are approved, cancelled or refunded', async () => {
    const item = await shop.newItem();
    const [approved, cancelled] = [await shop.buy([{ itemId: item, quantity: 1 }]), await holdOne(item)];
    await shop.cancel(cancelled);
    for (const order of [approved, cancelled]) expect((await set(order, newBuyer())).json()).toMatchObject({ code: 'wrong_state' });
    await world.call('POST', `/orders/${approved.id}/anonymize`, { as: 'admin' });
    expect((await set(approved, newBuyer())).json()).toMatchObject({ status: 409, code: 'wrong_state' });
    expect((await read(approved)).buyer).toBeNull();
  });

  it('returns 409 hold_expired from the moment when the hold expires', async () => {
    const order = await holdOne(await shop.newItem());
    world.now = minutesAfterNoon(10);
    expect((await set(order, newBuyer())).json()).toMatchObject({ status: 409, code: 'hold_expired' });
    await expireAll();
    expect((await set(order, newBuyer())).json()).toMatchObject({ status: 409, code: 'hold_expired' });
  });

  it('returns 409 wrong_state while a payment is pending, and 200 after a declined card', async () => {
    const order = await holdOne(await shop.newItem());
    const buyer = newBuyer();
    await set(order, buyer);
    const declined = await world.call('POST', at(order, '/payment'), { body: { method: 'card', outcome: 'decline' } });
    expect(declined.json()).toMatchObject({ code: 'payment_declined' });
    expect((await set(order, buyer)).statusCode).toBe(200);
    expect((await payPix(order)).statusCode).toBe(201);
    expect((await set(order, newBuyer())).json()).toMatchObject({ status: 409, code: 'wrong_state' });
    expect((await read(order)).buyer).toMatchObject(buyer);
  });

  it('returns 409 wrong_state if the event is cancelled', async () => {
    const eventId = await newEvent();
    const order = await holdAll([{ itemId: await shop.newItem({ item: { eventId }, values: freeValues }), quantity: 1 }], { eventId });
    await shop.write('POST', `/event/${eventId}/cancel`, {});
    expect((await set(order, newBuyer())).json()).toMatchObject({ status: 409, code: 'wrong_state' });
  });
});

describe('free orders without a buyer', () => {
  const mailsAbout = async ({ id }: PlacedOrder) =>
    (await world.pool.query('select kind, status from mail where dedupe_key = $1', [`order/${id}/confirmation`])).rows;

  it('are held until the buyer is set, which approves them, issues their tickets and queues the mail', async () => {
    const item = await shop.newItem({ values: freeValues, item: { quantity: 5 } });
    const order = await holdAll([{ itemId: item, quantity: 2 }]);
    expect(order).toMatchObject({ status: 'held', total: 0, approvedAt: null });
    expect(await counters(item)).toEqual({ sold: 0, held: 2 });
    expect(await ticketsOf(order)).toEqual([]);
    expect((await shop.pay(order)).json()).toMatchObject({ code: 'buyer_required' });
    world.now = minutesAfterNoon(1);
    const answer = await set(order, newBuyer());
    expect(answer.json()).toMatchObject({ status: 'approved', approvedAt: minutesAfterNoon(1).toISOString(), payments: [] });
    expect(await counters(item)).toEqual({ sold: 2, held: 0 });
    expect(await ticketsOf(order)).toHaveLength(2);
    expect(await mailsAbout(order)).toEqual([{ kind: 'order_confirmation', status: 'queued' }]);
    expect((await auditOf(world, answer)).map(({ after }) => after)).toEqual([{ buyer: 'set' }, { status: 'approved' }]);
    expect((await set(order, newBuyer())).json()).toMatchObject({ status: 409, code: 'wrong_state' });
  });

  it('PUT /orders/{id}/buyer returns 409 buyer_limit, and the order stays held without tickets', async () => {
    const item = await limited(1, { values: freeValues });
    const buyer = newBuyer();
    await shop.hold([{ itemId: item, quantity: 1 }], { buyer });
    const order = await holdOne(item);
    expect((await set(order, buyer)).json()).toMatchObject({ status: 409, code: 'buyer_limit' });
    expect(await read(order)).toMatchObject({ status: 'held', buyer: null });
    expect((await set(order, newBuyer())).json()).toMatchObject({ status: 'approved' });
  });

  it('expire like other holds', async () => {
    const item = await shop.newItem({ values: freeValues });
    const order = await holdOne(item);
    world.now = minutesAfterNoon(10);
    await expireAll();
    expect((await set(order, newBuyer())).json()).toMatchObject({ code: 'hold_expired' });
    expect(await counters(item)).toEqual({ sold: 0, held: 0 });
  });

  it('use imported codes and the limit of the passkey', async () => {
    const item = await shop.newItem({ item: { hidden: true }, values: freeValues, attributes: { customCode: true } });
    await shop.importCodes(item, 'LATE-1');
    const { id } = await shop.write('POST', '/passkeys', { eventId: world.event, passkey: 'late buyer', limit: 1 });
    await shop.write('PUT', `/passkeys/${id}/items`, { itemIds: [item] });
    const order = await holdAll([{ itemId: item, quantity: 1 }], { passkey: 'late buyer' });
    expect((await set(order, newBuyer())).statusCode).toBe(200);
    expect((await ticketsOf(order)).map(({ code }) => code)).toEqual(['LATE-1']);
    const { rows } = await world.pool.query('select used, held from passkey where id = $1', [id]);
    expect(rows).toEqual([{ used: 1, held: 0 }]);
  });

  it('count as unpaid tickets of their network, before and after the buyer is set', async () => {
    const eventId = await newEvent();
    const item = await shop.newItem({ item: { eventId }, values: freeValues });
    const order = await holdAll([{ itemId: item, quantity: 1 }], { eventId });
    const unpaid = async () => (await world.pool.query('select held, lapsed from network_hold where item_id = $1', [item])).rows;
    expect(await unpaid()).toEqual([{ held: 1, lapsed: 0 }]);
    await set(order, newBuyer());
    expect(await unpaid()).toEqual([{ held: 0, lapsed: 1 }]);
  });
});
