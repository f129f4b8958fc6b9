import type { OutgoingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../test/stripe/settings.ts';
import { useStripeShop } from '../../test/stripe/use-stripe-shop.ts';
import { minutesAfterNoon } from '../../test/world.ts';
import type { PlacedOrder } from '../orders/order-schemas.ts';
import { applyNotices } from './apply-notices.ts';
import { finishRefunds } from './finish-refunds.ts';

const { world, standIn, run, rowsOf, hold, start, read, ticketsOf, deliver } = useStripeShop();

const tables = [
  'payment',
  'refund',
  'payment_dispute',
  'payment_notice',
  'ticket_order',
  'order_line',
  'ticket',
  'ledger_posting',
  'audit_log',
  'mail',
];

/** All rows of all tables that a payment can change. */
async function everything(without: string[] = []): Promise<Record<string, unknown>> {
  const rows = await Promise.all(
    tables
      .filter((table) => !without.includes(table))
      .map(async (table) => [table, await rowsOf(`select t::text as row from ${table} t order by 1`)] as const),
  );
  return Object.fromEntries(rows);
}

/** Sends a notice that the test wrote itself. */
async function send(payload: string, headers: OutgoingHttpHeaders): Promise<number> {
  const answer = await world.app.inject({
    method: 'POST',
    url: '/v1/payments/stripe/notices',
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });
  return answer.statusCode;
}

/** Sends an event of the stand-in with other values, and a valid signature. */
async function sendChanged(changes: object): Promise<number> {
  const payload = JSON.stringify({ ...standIn.heldEvents().at(-1), ...changes });
  return send(payload, { 'stripe-signature': signatureOf(payload, world.now) });
}

/** Returns an order that the buyer has paid by card, and whose notice is not delivered yet. */
async function paidOrder(): Promise<{ order: PlacedOrder; intent: string; reference: string }> {
  const order = await hold();
  const { intent, reference } = await start(order, { method: 'card' });
  await deliver();
  standIn.confirm(intent, { paymentMethod: 'pm_card_visa' });
  return { order, intent, reference };
}

const statusesOf = async (...args: Parameters<typeof deliver>): Promise<unknown[]> => [
  ...new Set((await deliver(...args)).map(({ status }) => status)),
];

describe('a notice about a payment', () => {
  it('that is forged, replayed, of another account, of another mode or of another version is not applied', async () => {
    const { order, reference } = await paidOrder();
    const before = await everything();
    const [event] = standIn.heldEvents();
    const payload = JSON.stringify(event);
    const refused = [
      ...(await statusesOf({ secret: 'whsec_of_a_forger_0000000000' })),
      ...(await statusesOf({ ageSeconds: 301 })),
      await send(payload, {}),
      await send(payload, { 'stripe-signature': 't=0,v1=' }),
      // The signature of one delivery with the body of another.
      await send(payload.replace('5500', '5501'), { 'stripe-signature': signatureOf(payload, world.now) }),
      await send(payload, { 'stripe-signature': signatureOf(payload, minutesAfterNoon(-6)) }),
      await sendChanged({ livemode: true }),
      await sendChanged({ api_version: '2020-08-27' }),
    ];
    expect(new Set(refused)).toEqual(new Set([401]));
    // The owner of a connected account can create payments with our reference there. Stripe signs their notices with our secret.
    expect(await statusesOf({ account: 'acct_producer' })).toEqual([202]);
    await standIn.client().paymentIntents.create(
      {
        amount: 5500,
        currency: 'brl',
        allowed_payment_method_types: ['card'],
        metadata: { reference },
        confirm: true,
        payment_method: 'pm_card_visa',
      },
      { stripeAccount: 'acct_producer' },
    );
    const foreign = standIn.heldEvents().filter(({ account }) => account === 'acct_producer');
    expect(foreign.length).toBeGreaterThan(0);
    expect(await statusesOf({ ids: foreign.map(({ id }) => id) })).toEqual([202]);
    await run(applyNotices);
    await run(finishRefunds);
    expect(await everything()).toEqual(before);
    // Control: the same notice with its own signature is applied.
    expect(await statusesOf({ ids: [event?.id ?? ''] })).toEqual([202]);
    expect(await read(order)).toMatchObject({ status: 'approved' });
    expect(await everything()).not.toEqual(before);
  });

  it('that is sent again, at the same time or later, is applied once', async () => {
    const { order } = await paidOrder();
    const ids = standIn.heldEvents().map(({ id }) => id);
    expect(await statusesOf({ ids, copies: 5, concurrent: true })).toEqual([202]);
    expect(await ticketsOf(order)).toHaveLength(1);
    const after = await everything();
    world.now = minutesAfterNoon(3);
    expect(await statusesOf({ ids, copies: 2 })).toEqual([202]);
    expect(await everything()).toEqual(after);
  });

  it('that is older than an applied one changes nothing', async () => {
    const order = await hold();
    const { intent } = await start(order, { method: 'card' });
    standIn.confirm(intent, { paymentMethod: 'pm_card_chargeDeclined' });
    standIn.confirm(intent, { paymentMethod: 'pm_card_authenticationRequired' });
    standIn.completeAuthentication(intent);
    const held = standIn.heldEvents();
    expect(held.map(({ type }) => type)).toEqual([
      'payment_intent.payment_failed',
      'payment_intent.requires_action',
      'payment_intent.succeeded',
    ]);
    const idsOf = (...types: string[]) => held.filter(({ type }) => types.includes(type)).map(({ id }) => id);
    await deliver({ ids: idsOf('payment_intent.succeeded') });
    expect(await read(order)).toMatchObject({ status: 'approved' });
    const after = await everything(['payment_notice']);
    expect(await statusesOf({ ids: idsOf('payment_intent.payment_failed', 'payment_intent.requires_action') })).toEqual([202]);
    expect(await everything(['payment_notice'])).toEqual(after);
  });

  it.each(['created', 'reversed', 'shuffled'] as const)('leads to the same result in any order: %s', async (order) => {
    const bought = await hold();
    const { intent } = await start(bought, { method: 'pix' });
    standIn.startProcessing(intent);
    standIn.payPix(intent);
    await deliver({ order, copies: 2 });
    expect(await read(bought)).toMatchObject({ status: 'approved', payments: [{ status: 'approved', received: 5500, returned: 0 }] });
    expect(await ticketsOf(bought)).toHaveLength(1);
  });

  it('that this service did not begin is ignored', async () => {
    const before = await everything();
    await standIn.client().paymentIntents.create({
      amount: 5500,
      currency: 'brl',
      allowed_payment_method_types: ['card'],
      confirm: true,
      payment_method: 'pm_card_visa',
    });
    expect(await statusesOf()).toEqual([202]);
    expect(await everything()).toEqual(before);
  });

  it('returns 404 for a provider that is not in PAYMENTS', async () => {
    const payload = '{}';
    const answer = await world.app.inject({
      method: 'POST',
      url: '/v1/payments/mercadopago/notices',
      headers: { 'content-type': 'application/json' },
      payload,
    });
    expect(answer.statusCode).toBe(404);
  });
});
