import type Stripe from 'stripe';
import { beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from './failures.ts';
import { idOf } from './store.ts';
import { useStandIn } from './use-stand-in.ts';

const standIn = useStandIn({ accounts: ['acct_producer'] });
let stripe: Stripe;
beforeAll(() => {
  stripe = standIn.client();
});

const pay = (more: Partial<Stripe.PaymentIntentCreateParams> = {}, options: Stripe.RequestOptions = {}) =>
  stripe.paymentIntents.create(
    { amount: 10_000, currency: 'brl', allowed_payment_method_types: ['card'], payment_method: 'pm_card_visa', confirm: true, ...more },
    options,
  );

async function payByPix(): Promise<Stripe.PaymentIntent> {
  const { id } = await stripe.paymentIntents.create({
    amount: 10_000,
    currency: 'brl',
    allowed_payment_method_types: ['pix'],
    payment_method_data: { type: 'pix' },
    confirm: true,
  });
  return standIn.payPix(id);
}

const ledgerOf = (intent: string) => standIn.charges().find(({ paymentIntent }) => paymentIntent === intent);
const eventsOf = async (id: string) => {
  const { data } = await stripe.events.list({ types: ['refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated'] });
  return data
    .filter((event) => (event.data.object as { id: string }).id === id)
    .map(({ type }) => type as string)
    .toReversed();
};

describe('refunds', () => {
  it('a refund without amount returns everything', async () => {
    const { id, latest_charge: charge } = await pay();
    const refund = await stripe.refunds.create({ payment_intent: id, metadata: { reason: 'canceled' }, reason: 'requested_by_customer' });
    expect(refund).toMatchObject({ amount: 10_000, status: 'succeeded', charge, payment_intent: id, metadata: { reason: 'canceled' } });
    expect(await stripe.refunds.retrieve(refund.id)).toMatchObject({ id: refund.id });
    expect(await stripe.charges.retrieve(idOf(charge) ?? '')).toMatchObject({ refunded: true, amount_refunded: 10_000 });
    expect(ledgerOf(id)).toMatchObject({ amount: 10_000, amountRefunded: 10_000 });
    expect(await eventsOf(refund.id)).toEqual(['refund.created']);
  });

  it('partial refunds add up, and cannot exceed the charge', async () => {
    const { id, latest_charge: charge } = await pay();
    await stripe.refunds.create({ payment_intent: id, amount: 2_500 });
    await stripe.refunds.create({ charge: idOf(charge) ?? '', amount: 4_000 });
    const error = await failureOf(stripe.refunds.create({ payment_intent: id, amount: 3_501 }));
    expect(error.statusCode).toBe(400);
    expect(error.message).toMatch(/^Refund amount \(.*35\.01\) is greater than unrefunded amount on charge \(.*35\.00\)$/);
    await stripe.refunds.create({ payment_intent: id });
    expect(await failureOf(stripe.refunds.create({ payment_intent: id }))).toMatchObject({ code: 'charge_already_refunded' });
    const { data } = await stripe.refunds.list({ payment_intent: id });
    expect(data.map(({ amount }) => amount)).toEqual([3_500, 4_000, 2_500]);
    expect(ledgerOf(id)?.amountRefunded).toBe(10_000);
  });

  it('a boleto cannot be refunded', async () => {
    const { id } = await stripe.paymentIntents.create({ amount: 500, currency: 'brl', allowed_payment_method_types: ['boleto'] });
    const address = { line1: 'Rua A 1', city: 'São Paulo', state: 'SP', postal_code: '01310-100', country: 'BR' };
    const billing = { name: 'Ana Souza', email: 'ana@example.com', address };
    const data = { type: 'boleto', boleto: { tax_id: '000.000.000-00' }, billing_details: billing } as const;
    await stripe.paymentIntents.confirm(id, { payment_method_data: data });
    standIn.payBoleto(id);
    expect((await failureOf(stripe.refunds.create({ payment_intent: id }))).code).toBe('charge_not_refundable');
    expect(ledgerOf(id)?.amountRefunded).toBe(0);
  });

  it('unpaid payments and unknown ids cannot be refunded', async () => {
    const unpaid = await stripe.paymentIntents.create({ amount: 500, currency: 'brl' });
    expect((await failureOf(stripe.refunds.create({ payment_intent: unpaid.id }))).statusCode).toBe(400);
    expect((await failureOf(stripe.refunds.create({ payment_intent: 'pi_nothing' }))).code).toBe('resource_missing');
    expect((await failureOf(stripe.refunds.create({ charge: 'ch_nothing' }))).code).toBe('resource_missing');
    expect((await failureOf(stripe.refunds.create({}))).message).toContain('payment_intent or charge');
    expect((await failureOf(stripe.refunds.create({ payment_intent: unpaid.id, amount: 0 }))).code).toBe('parameter_invalid_integer');
  });

  it('a PIX refund is pending until the bank settles it', async () => {
    const { id } = await payByPix();
    const refund = await stripe.refunds.create({ payment_intent: id, amount: 1_000 });
    expect(refund).toMatchObject({ status: 'pending', pending_reason: 'processing' });
    expect(standIn.settleRefund(refund.id).status).toBe('succeeded');
    const settled = await stripe.refunds.retrieve(refund.id);
    expect(settled.status).toBe('succeeded');
    expect(settled).not.toHaveProperty('pending_reason');
    expect(await eventsOf(refund.id)).toEqual(['refund.created', 'refund.updated', 'charge.refund.updated']);
    expect(() => standIn.settleRefund(refund.id)).toThrow('has the status succeeded');
  });

  it('the amount of a failed refund can be refunded again', async () => {
    const { id } = await payByPix();
    const refund = await stripe.refunds.create({ payment_intent: id });
    standIn.failRefund(refund.id, 'insufficient_funds');
    const failed = await stripe.refunds.retrieve(refund.id, { expand: ['failure_balance_transaction'] });
    expect(failed).toMatchObject({
      status: 'failed',
      failure_reason: 'insufficient_funds',
      failure_balance_transaction: { amount: 10_000 },
    });
    expect(ledgerOf(id)?.amountRefunded).toBe(0);
    expect(await eventsOf(refund.id)).toEqual(['refund.created', 'refund.failed', 'refund.updated', 'charge.refund.updated']);
    expect((await stripe.refunds.create({ payment_intent: id })).amount).toBe(10_000);
  });

  it('the test chooses the statuses of the next refunds', async () => {
    const { id } = await pay();
    standIn.setNextRefundStatuses('requires_action', 'pending');
    const statuses: unknown[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await stripe.refunds.create({ payment_intent: id, amount: 100 })).status);
    expect(statuses).toEqual(['requires_action', 'pending', 'succeeded']);
    const pending = await pay({ payment_method: 'pm_card_pendingRefund' });
    expect((await stripe.refunds.create({ payment_intent: pending.id })).status).toBe('pending');
  });

  it('the refunds of a charge can be expanded', async () => {
    const { id } = await pay();
    await stripe.refunds.create({ payment_intent: id, amount: 100 });
    const { latest_charge: plain } = await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] });
    const { latest_charge: expanded } = await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge.refunds'] });
    expect(plain).toMatchObject({ refunds: null });
    expect(expanded).toMatchObject({ refunds: { object: 'list', data: [{ amount: 100 }] } });
  });
});

describe('Connect', () => {
  const destination = { application_fee_amount: 1_000, transfer_data: { destination: 'acct_producer' }, on_behalf_of: 'acct_producer' };

  it('a destination charge transfers the amount and keeps the application fee', async () => {
    const intent = await pay(destination);
    expect(intent).toMatchObject({
      application_fee_amount: 1_000,
      on_behalf_of: 'acct_producer',
      transfer_data: { destination: 'acct_producer' },
    });
    expect(ledgerOf(intent.id)).toMatchObject({ destination: 'acct_producer', applicationFee: 1_000, transferred: 10_000, account: null });
    const charge = await stripe.charges.retrieve(idOf(intent.latest_charge) ?? '', { expand: ['transfer_data.destination'] });
    expect(charge).toMatchObject({ transfer_data: { destination: { object: 'account', id: 'acct_producer' } } });
    expect(charge.transfer).toMatch(/^tr_/);
    expect(charge.application_fee).toMatch(/^fee_/);
  });

  it('a refund reverses transfer and fee in proportion, if it asks for it', async () => {
    const { id } = await pay(destination);
    const plain = await stripe.refunds.create({ payment_intent: id, amount: 1_000 });
    expect(plain.transfer_reversal).toBeNull();
    expect(ledgerOf(id)).toMatchObject({ transferReversed: 0, applicationFeeRefunded: 0 });
    const refund = await stripe.refunds.create({
      payment_intent: id,
      amount: 5_000,
      reverse_transfer: true,
      refund_application_fee: true,
    });
    expect(refund.transfer_reversal).toMatch(/^trr_/);
    expect(ledgerOf(id)).toMatchObject({ transferReversed: 5_000, applicationFeeRefunded: 500, amountRefunded: 6_000 });
  });

  it('a charge without transfer or fee has nothing to reverse', async () => {
    const { id } = await pay();
    for (const more of [{ reverse_transfer: true }, { refund_application_fee: true }]) {
      expect((await failureOf(stripe.refunds.create({ payment_intent: id, ...more }))).statusCode).toBe(400);
    }
    expect(ledgerOf(id)?.amountRefunded).toBe(0);
  });

  it('the destination must be able to receive transfers', async () => {
    standIn.putAccount('acct_restricted', { capabilities: { transfers: 'inactive' } });
    const error = await failureOf(pay({ transfer_data: { destination: 'acct_restricted' } }));
    expect(error.code).toBe('insufficient_capabilities_for_transfer');
  });

  it('the objects of a direct charge belong to the connected account', async () => {
    const direct = { stripeAccount: 'acct_producer' };
    const intent = await pay({ application_fee_amount: 700 }, direct);
    expect((await stripe.paymentIntents.retrieve(intent.id, {}, direct)).id).toBe(intent.id);
    expect((await failureOf(stripe.paymentIntents.retrieve(intent.id))).statusCode).toBe(404);
    expect((await failureOf(stripe.refunds.create({ payment_intent: intent.id }))).code).toBe('resource_missing');
    const event = (await stripe.events.list({ type: 'payment_intent.succeeded', limit: 1 }, direct)).data[0];
    expect(event).toMatchObject({ account: 'acct_producer', data: { object: { id: intent.id } } });
    expect(ledgerOf(intent.id)).toMatchObject({ account: 'acct_producer', applicationFee: 700 });
  });
});

describe('fees', () => {
  const balanceOf = async (id: string, options: Stripe.RequestOptions = {}) => {
    const { latest_charge: charge } = await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge.balance_transaction'] }, options);
    return (charge as Stripe.Charge).balance_transaction as Stripe.BalanceTransaction;
  };

  it('the balance transaction of a charge has fee and net amount', async () => {
    const { id } = await pay();
    const balance = await balanceOf(id);
    expect(balance).toMatchObject({
      amount: 10_000,
      fee: 438,
      net: 9_562,
      fee_details: [{ type: 'stripe_fee', amount: 438, currency: 'brl' }],
      reporting_category: 'charge',
    });
    expect(await stripe.balanceTransactions.retrieve(balance.id)).toMatchObject({ id: balance.id, fee: 438 });
    expect((await balanceOf((await payByPix()).id)).fee).toBe(119);
  });

  it('a destination charge shows only the fee of Stripe, a direct charge also the application fee', async () => {
    const destination = await pay({ application_fee_amount: 1_000, transfer_data: { destination: 'acct_producer' } });
    expect((await balanceOf(destination.id)).fee).toBe(438);
    const options = { stripeAccount: 'acct_producer' };
    const direct = await pay({ application_fee_amount: 1_000 }, options);
    expect(await balanceOf(direct.id, options)).toMatchObject({ fee: 1_438, net: 8_562 });
  });

  it('a refund has a balance transaction of its own, and the fee of Stripe is not returned', async () => {
    const { id } = await pay();
    const refund = await stripe.refunds.create({ payment_intent: id, expand: ['balance_transaction'] });
    expect(refund.balance_transaction).toMatchObject({ amount: -10_000, fee: 0, net: -10_000, type: 'refund' });
  });
});
