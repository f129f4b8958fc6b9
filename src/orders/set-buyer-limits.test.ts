import { describe, expect, it } from 'vitest';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { lateBuyersOf } from '../../test/late-buyers.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import { systemAct } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { expireOrders } from './expire-orders.ts';
import type { Buyer, PlacedOrder } from './order-schemas.ts';
import { type BuyerRequest, setBuyers } from './set-buyers.ts';

const world = useWorld();
const { shop, newBuyer, newDocument, holdAll, holdOne, set, read, payPix, expireAll, limited, countsOf } = lateBuyersOf(world);
const statusesOf = (answers: readonly { statusCode: number }[]) => answers.map(({ statusCode }) => statusCode);

describe('PUT /orders/{id}/buyer and the limit per buyer', () => {
  it('returns 409 buyer_limit with what is left, and keeps the order without a buyer', async () => {
    const item = await limited(3);
    const buyer = newBuyer();
    await shop.hold([{ itemId: item, quantity: 2 }], { buyer });
    const order = await holdAll([{ itemId: item, quantity: 2 }]);
    const answer = await set(order, buyer);
    const placed = await shop.place([{ itemId: item, quantity: 2 }], { buyer });
    expect(answer.json()).toMatchObject({ status: 409, code: 'buyer_limit', lines: [{ itemId: item, quantity: 2, remaining: 1 }] });
    expect(answer.json()).toEqual({ ...placed.json<object>(), requestId: expect.any(String) });
    expect((await read(order)).buyer).toBeNull();
    expect(await countsOf(item, buyer)).toEqual({ [buyer.email]: 2 });
  });

  it('counts the order for its buyer. A replaced buyer may order again, and nothing about the replaced buyer is kept', async () => {
    const item = await limited(2);
    const [first, second] = [newBuyer(), newBuyer()];
    const order = await holdAll([{ itemId: item, quantity: 2 }]);
    await set(order, first);
    expect(await countsOf(item, first, second)).toEqual({ [first.email]: 2 });
    expect((await shop.place([{ itemId: item, quantity: 1 }], { buyer: first })).json()).toMatchObject({ code: 'buyer_limit' });
    await set(order, second);
    expect(await countsOf(item, first, second)).toEqual({ [second.email]: 2 });
    expect((await shop.place([{ itemId: item, quantity: 2 }], { buyer: first })).statusCode).toBe(201);
  });

  it('counts e-mail address and document separately: what stays is counted once, what is new is checked', async () => {
    const item = await limited(2);
    const document = newDocument();
    const buyer = newBuyer();
    await shop.hold([{ itemId: item, quantity: 1 }], { buyer: newBuyer({ document }) });
    const order = await holdAll([{ itemId: item, quantity: 2 }]);
    expect((await set(order, buyer)).statusCode).toBe(200);
    expect((await set(order, { ...buyer, document })).json()).toMatchObject({ code: 'buyer_limit', lines: [{ remaining: 1 }] });
    expect((await set(order, { ...buyer, document: newDocument() })).statusCode).toBe(200);
    expect((await set(order, { ...buyer, name: 'Beatriz Lima' })).statusCode).toBe(200);
    expect((await countsOf(item, buyer))[buyer.email]).toBe(2);
  });

  it('accepts the same buyer again after the limit was lowered', async () => {
    const item = await limited(2);
    const buyer = newBuyer();
    const order = await holdAll([{ itemId: item, quantity: 2 }]);
    await set(order, buyer);
    await shop.write('PUT', `/items/${item}/attributes`, { key: 'maximumPerBuyer', value: 1, type: 'integer' });
    expect((await set(order, { ...buyer, name: 'Beatriz Lima' })).statusCode).toBe(200);
    expect((await set(order, newBuyer())).json()).toMatchObject({ code: 'buyer_limit', lines: [{ remaining: 1 }] });
  });

  it('does not count holds that have expired, even before the worker has released them', async () => {
    const item = await limited(1);
    const buyer = newBuyer();
    await shop.hold([{ itemId: item, quantity: 1 }], { buyer });
    world.now = minutesAfterNoon(5);
    const order = await holdOne(item);
    expect((await set(order, buyer)).json()).toMatchObject({ code: 'buyer_limit' });
    world.now = minutesAfterNoon(10);
    expect((await set(order, buyer)).statusCode).toBe(200);
    expect(await countsOf(item, buyer)).toEqual({ [buyer.email]: 1 });
  });

  it('the counts are released when the order is cancelled or expires', async () => {
    const item = await limited(1);
    const buyer = newBuyer();
    const first = await holdOne(item);
    await set(first, buyer);
    await shop.cancel(first);
    const second = await holdOne(item);
    expect((await set(second, buyer)).statusCode).toBe(200);
    world.now = minutesAfterNoon(10);
    await expireAll();
    expect((await countsOf(item, buyer))[buyer.email]).toBe(0);
    expect((await shop.place([{ itemId: item, quantity: 1 }], { buyer })).statusCode).toBe(201);
  });
});

describe('concurrent requests', () => {
  const lockItem = (id: number) => `select from item where id = ${id} for update`;
  const requestOf = ({ id, secret }: PlacedOrder, buyer: Buyer, time: Date): BuyerRequest => ({
    act: systemAct('setBuyer', time),
    eventId: world.event,
    id,
    secret,
    buyer,
    checkCurrent: () => null,
  });
  const lockOrder = ({ id }: PlacedOrder) => `select from ticket_order where id = ${id} for update`;

  it('PUT /orders/{id}/buyer gives one of several orders to a buyer who may have one ticket', async () => {
    const item = await limited(1);
    const buyer = newBuyer();
    const orders = await Promise.all(Array.from({ length: 6 }, () => holdOne(item)));
    const answers = await Promise.all(orders.map((order) => set(order, buyer)));
    expect(statusesOf(answers).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409]);
    expect(await countsOf(item, buyer)).toEqual({ [buyer.email]: 1 });
  });

  it('a batch decides each order at the time of its own request', async () => {
    const item = await limited(2);
    const buyer = newBuyer();
    const first = await holdOne(item);
    world.now = minutesAfterNoon(5);
    const second = await holdOne(item);
    const outcomes = await inTransaction(world.db, {}, (tx) =>
      setBuyers(tx, [
        requestOf(first, buyer, minutesAfterNoon(9)),
        requestOf(second, buyer, minutesAfterNoon(10)),
        requestOf(first, buyer, minutesAfterNoon(10)),
      ]),
    );
    expect(outcomes).toMatchObject([{ buyer }, { buyer }, { code: 'hold_expired' }]);
    expect(await countsOf(item, buyer)).toEqual({ [buyer.email]: 2 });
  });

  it('two transactions cannot both give the buyer an order beyond the limit', async () => {
    const item = await limited(1);
    const buyer = newBuyer();
    const orders = [await holdOne(item), await holdOne(item)];
    const tasks = orders.map((order) => () => inTransaction(world.db, {}, (tx) => setBuyers(tx, [requestOf(order, buyer, noon)])));
    const [first, second] = (await runBehindLock(world, lockItem(item), tasks)).flat();
    expect(first).toMatchObject({ buyer });
    expect(second).toBeInstanceOf(Problem);
    expect(second).toMatchObject({ code: 'buyer_limit' });
  });

  it('requests for the same order in one batch are applied in order', async () => {
    const item = await limited(1);
    const [first, second] = [newBuyer(), newBuyer()];
    const order = await holdOne(item);
    const tasks = [first, second, first, second].map((buyer) => () => set(order, buyer));
    const sent: ReturnType<typeof set>[] = [];
    await runBehindLock(world, lockOrder(order), [
      async () => {
        // The first request waits for the lock. The other requests wait for the first, and form one batch.
        for (const task of tasks) sent.push(task());
        return sent[0];
      },
    ]);
    expect(statusesOf(await Promise.all(sent))).toEqual([200, 200, 200, 200]);
    expect((await read(order)).buyer).toMatchObject(second);
    expect(await countsOf(item, first, second)).toEqual({ [second.email]: 1 });
  });

  it('a PIX payment that comes first keeps its buyer. A buyer that comes first pays', async () => {
    const item = await shop.newItem();
    const [before, after] = [newBuyer(), newBuyer()];
    const order = await holdOne(item);
    await set(order, before);
    const late = await runBehindLock(world, lockOrder(order), [() => payPix(order), () => set(order, after)]);
    expect(statusesOf(late)).toEqual([201, 409]);
    expect((await read(order)).buyer).toMatchObject(before);
    const other = await holdOne(item);
    const early = await runBehindLock(world, lockOrder(other), [() => set(other, after), () => payPix(other)]);
    expect(statusesOf(early)).toEqual([200, 201]);
    expect(await read(other)).toMatchObject({ buyer: after, payments: [{ status: 'pending' }] });
  });

  it('a hold that is being released gets no buyer', async () => {
    const item = await limited(1);
    const buyer = newBuyer();
    const order = await holdOne(item);
    world.now = minutesAfterNoon(9);
    const [, answer] = await runBehindLock<unknown>(world, lockItem(item), [
      () => expireOrders(world.db, systemAct('test', minutesAfterNoon(10))),
      () => set(order, buyer),
    ]);
    expect(answer).toMatchObject({ statusCode: 409 });
    expect(await read(order)).toMatchObject({ status: 'expired', buyer: null });
    expect(await countsOf(item, buyer)).toEqual({});
  });

  it('a buyer that is being set is counted when the hold is released afterwards', async () => {
    const item = await limited(1);
    const buyer = newBuyer();
    const order = await holdOne(item);
    world.now = minutesAfterNoon(9);
    const [answer] = await runBehindLock<unknown>(world, lockItem(item), [
      () => set(order, buyer),
      () => expireOrders(world.db, systemAct('test', minutesAfterNoon(10))),
    ]);
    expect(answer).toMatchObject({ statusCode: 200 });
    expect(await countsOf(item, buyer)).toEqual({ [buyer.email]: 1 });
    world.now = minutesAfterNoon(10);
    await expireAll();
    expect(await countsOf(item, buyer)).toEqual({ [buyer.email]: 0 });
  });
});
