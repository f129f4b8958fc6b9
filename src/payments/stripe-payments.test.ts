import { describe, expect, it } from 'vitest';
import { useStripeShop } from '../../test/stripe/use-stripe-shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import { expireOrders } from '../orders/expire-orders.ts';
import { finishPayments } from './finish-payments.ts';
import { finishRefunds } from './finish-refunds.ts';
import { reconcilePayments } from './reconcile-payments.ts';

const { world, standIn, shop, run, rowsOf, hold, pay, start, read, ticketsOf, deliver, chargesOf } = useStripeShop({
  STRIPE_METHODS: 'card,pix,boleto',
});

const card = { method: 'card' };
const pix = { method: 'pix' };
const visa = { paymentMethod: 'pm_card_visa' };

describe('a card', () => {
  it('is confirmed by the web component, and the signed notice of Stripe approves the order', async () => {
    const order = await hold();
    const payment = await start(order, card);
    expect(payment).toMatchObject({
      provider: 'stripe',
      status: 'pending',
      amount: 5500,
      expiresAt: minutesAfterNoon(15).toISOString(),
      action: { type: 'client', publishableKey: 'pk_test_tessera', clientSecret: expect.stringContaining(`${payment.intent}_secret_`) },
    });
    expect(await read(order)).toMatchObject({ status: 'held', expiresAt: payment.expiresAt });
    standIn.confirm(payment.intent, visa);
    expect(await read(order)).toMatchObject({ status: 'held' });
    expect(new Set((await deliver()).map(({ status }) => status))).toEqual(new Set([202]));
    expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ status: 'approved', received: 5500, action: null }] });
    expect(await ticketsOf(order)).toHaveLength(1);
    expect(chargesOf(payment.intent)).toMatchObject([{ amount: 5500, destination: null, applicationFee: 0 }]);
  });

  it('has a fee that is posted to the ledger when Stripe reports it', async () => {
    const order = await hold();
    const { intent } = await start(order, card);
    standIn.confirm(intent, visa);
    await deliver();
    world.now = minutesAfterNoon(2);
    await run(finishPayments);
    const [payment] = await rowsOf('select fee from payment where order_id = $1', order.id);
    expect(Number(payment?.fee)).toBeGreaterThan(0);
    expect(
      await rowsOf(`select source, target, amount from ledger_posting where order_id = $1 and reason = 'provider_fee'`, order.id),
    ).toEqual([{ source: 'platform', target: 'fee:stripe:card', amount: payment?.fee }]);
  });

  it('with 3-D Secure approves the order after the buyer has passed it', async () => {
    const order = await hold();
    const { intent } = await start(order, card);
    standIn.confirm(intent, { paymentMethod: 'pm_card_authenticationRequired' });
    await deliver();
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'pending', action: { type: 'client' } }] });
    standIn.completeAuthentication(intent);
    await deliver();
    expect(await read(order)).toMatchObject({ status: 'approved' });
  });

  it('that fails 3-D Secure or is declined keeps the hold, and another card pays the same payment', async () => {
    const order = await hold();
    const first = await start(order, card);
    standIn.confirm(first.intent, { paymentMethod: 'pm_card_authenticationRequired' });
    standIn.failAuthentication(first.intent);
    standIn.confirm(first.intent, { paymentMethod: 'pm_card_chargeDeclined' });
    await deliver();
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'pending', action: first.action }] });
    expect(await ticketsOf(order)).toEqual([]);
    const { intent: _intent, ...open } = first;
    expect((await pay(order, card)).json()).toMatchObject({ payments: [open] });
    standIn.confirm(first.intent, visa);
    await deliver();
    expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ status: 'approved' }] });
    expect(chargesOf(first.intent)).toHaveLength(1);
  });

  it('that is paid without a notice is found by the next request of the buyer', async () => {
    const order = await hold();
    const { intent } = await start(order, card);
    standIn.confirm(intent, visa);
    const answer = await pay(order, card);
    expect([answer.statusCode, answer.json()]).toMatchObject([201, { status: 'approved', payments: [{ status: 'approved' }] }]);
    await deliver();
    expect(await ticketsOf(order)).toHaveLength(1);
  });

  it('that is paid without a notice is found by reconciliation, and a late notice changes nothing', async () => {
    const order = await hold();
    const { intent } = await start(order, card);
    await deliver();
    standIn.confirm(intent, visa);
    const reconcile = () => run((db, act, providers, signal) => reconcilePayments(db, act, providers, noon, signal));
    expect(await reconcile()).toMatchObject([{ provider: 'stripe', type: 'payment_intent.succeeded' }]);
    await deliver({ ids: [] });
    expect(await read(order)).toMatchObject({ status: 'approved' });
    expect(await reconcile()).toEqual([]);
    await deliver();
    expect(await ticketsOf(order)).toHaveLength(1);
  });

  it('is refunded in parts through Stripe', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 2 }]);
    const { intent } = await start(order, card);
    standIn.confirm(intent, visa);
    await deliver();
    for (const refunded of [5500, 11_000]) {
      expect((await shop.refund(order, { lines: [{ itemId: world.item, quantity: 1 }] })).statusCode).toBe(200);
      await run(finishRefunds);
      expect(chargesOf(intent)).toMatchObject([{ amount: 11_000, amountRefunded: refunded }]);
    }
    await deliver();
    expect(await read(order)).toMatchObject({ status: 'refunded', refundedTotal: 11_000 });
    expect(await rowsOf('select status, amount from refund where order_id = $1 order by id', order.id)).toEqual([
      { status: 'done', amount: 5500 },
      { status: 'done', amount: 5500 },
    ]);
  });
});

describe('PIX', () => {
  it('shows a code, and the notice of Stripe approves the order', async () => {
    const order = await hold();
    const payment = await start(order, pix);
    expect(payment).toMatchObject({ status: 'pending', action: { type: 'display', code: payment.pixCode, imageUrl: expect.any(String) } });
    standIn.payPix(payment.intent);
    await deliver();
    expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ status: 'approved', pixCode: null }] });
    expect(await ticketsOf(order)).toHaveLength(1);
  });

  it('that expires or is cancelled at Stripe is declined with the reason, and the buyer can try again', async () => {
    const order = await hold();
    standIn.expirePix((await start(order, pix)).intent);
    await deliver();
    await standIn.client().paymentIntents.cancel((await start(order, pix)).intent);
    await deliver();
    expect(await read(order)).toMatchObject({
      status: 'held',
      payments: [
        { status: 'declined', failure: 'The code expired before it was paid.' },
        { status: 'declined', failure: 'The payment was canceled.' },
      ],
    });
    standIn.payPix((await start(order, pix)).intent);
    await deliver();
    expect(await read(order)).toMatchObject({ status: 'approved', payments: [{}, {}, { status: 'approved' }] });
  });

  it('that is not paid in time is cancelled at Stripe when the hold ends', async () => {
    const order = await hold();
    const { intent } = await start(order, pix);
    world.now = minutesAfterNoon(15);
    await run(expireOrders);
    await run(finishPayments);
    expect((await standIn.client().paymentIntents.retrieve(intent)).status).toBe('canceled');
    expect(await read(order)).toMatchObject({ status: 'expired', payments: [{ status: 'declined' }] });
  });

  it('that is open when the crew takes cash is cancelled at Stripe', async () => {
    const order = await hold();
    const { intent } = await start(order, pix);
    const paid = await world.call('POST', `/orders/${order.id}/payment`, { as: 'crew_sales_operator', body: { method: 'cash' } });
    expect(paid.json()).toMatchObject({ status: 'approved' });
    await run(finishPayments);
    expect((await standIn.client().paymentIntents.retrieve(intent)).status).toBe('canceled');
    expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ status: 'declined' }, { status: 'approved' }] });
  });

  it('that is open when a card has paid the order is cancelled at Stripe', async () => {
    const order = await hold();
    const [byPix, byCard] = [await start(order, pix), await start(order, card)];
    standIn.confirm(byCard.intent, visa);
    await deliver();
    await run(finishPayments);
    expect((await standIn.client().paymentIntents.retrieve(byPix.intent)).status).toBe('canceled');
    expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ status: 'declined' }, { status: 'approved' }] });
  });
});

describe('a boleto', () => {
  const address = { line1: 'Rua Augusta 100', city: 'São Paulo', state: 'SP', postalCode: '01304-000', country: 'BR' };
  const boleto = { method: 'boleto', address };
  const buyer = { name: 'Ana Souza', email: 'ana@test.test', document: '529.982.247-25' };

  it('needs the address and the document of the buyer', async () => {
    const order = await hold();
    expect((await pay(order, { method: 'boleto' })).json()).toMatchObject({
      status: 422,
      errors: [{ field: 'address', code: 'required' }],
    });
    expect((await pay(order, boleto)).json()).toMatchObject({ status: 409, code: 'buyer_required' });
    expect((await read(order)).payments).toEqual([]);
  });

  it('redirects the buyer, approves the order when it is paid, and forgets the address', async () => {
    const order = await hold({ buyer });
    const payment = await start(order, boleto);
    expect(payment).toMatchObject({ status: 'pending', action: { type: 'redirect', url: expect.stringMatching(/^https:/) } });
    standIn.payBoleto(payment.intent);
    await deliver();
    expect(await read(order)).toMatchObject({ status: 'approved' });
    expect(await rowsOf('select buyer_address from payment where order_id = $1', order.id)).toEqual([{ buyer_address: null }]);
  });

  it('stays payable after the hold has ended, because banks confirm it later', async () => {
    const order = await hold({ buyer });
    const { intent } = await start(order, boleto);
    world.now = minutesAfterNoon(60);
    await run(expireOrders);
    await run(finishPayments);
    expect(await read(order)).toMatchObject({ status: 'expired', payments: [{ status: 'pending' }] });
    standIn.payBoleto(intent);
    await deliver();
    expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ status: 'approved' }] });
  });

  it('that expires unpaid at Stripe is declined', async () => {
    const order = await hold({ buyer });
    const { intent } = await start(order, boleto);
    world.now = minutesAfterNoon(60);
    await run(expireOrders);
    standIn.expireBoleto(intent);
    await run(finishPayments);
    expect(await read(order)).toMatchObject({ status: 'expired', payments: [{ status: 'declined' }] });
  });

  it('is cancelled at Stripe when the order is cancelled', async () => {
    const order = await hold({ buyer });
    const { intent } = await start(order, boleto);
    expect((await shop.cancel(order)).statusCode).toBe(200);
    world.now = minutesAfterNoon(60);
    await run(finishPayments);
    expect((await standIn.client().paymentIntents.retrieve(intent)).status).toBe('canceled');
  });
});
