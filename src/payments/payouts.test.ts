import { describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useStripeShop } from '../../test/stripe/use-stripe-shop.ts';
import { type Caller, noon } from '../../test/world.ts';
import { renderPayoutChanged } from '../accounts/payout-mail.ts';
import { writeLetter } from '../platform/mail/letter.ts';
import type { MailPayloads } from '../platform/mail/outbox.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { finishRefunds } from './finish-refunds.ts';

const mercadoPago = { MERCADOPAGO_ACCESS_TOKEN: 'TEST-token', MERCADOPAGO_WEBHOOK_SECRET: 'secret-signature' };
const { world, standIn, shop, run, rowsOf, start, deliver, chargesOf, read } = useStripeShop({
  PAYMENTS: 'stripe,mercadopago,cash',
  ...mercadoPago,
});

const account = 'acct_producer';
const payoutAt = () => `/producers/${world.producer}/payout`;
const set = (body: object, as: Caller = 'admin') => world.call('PUT', payoutAt(), { as, body });
const remove = (as: Caller = 'admin') => world.call('DELETE', payoutAt(), { as });
const producerFor = async (as: Caller) => (await world.call('GET', `/producers/${world.producer}`, { as })).json<Record<string, unknown>>();
const mails = () => rowsOf(`select recipient, locale, payload from mail where kind = 'payout_changed' order by id`);

/** Buys two tickets with a fee of the platform that both sides share: 5000 + 300 for the buyer, 200 of the producer. */
async function buyTwo(): Promise<{ order: Awaited<ReturnType<typeof shop.hold>>; itemId: number; intent: string }> {
  const itemId = await shop.newItem({ values: { price: 5000, feeSale: 300, feeProducer: 200 } });
  const order = await shop.hold([{ itemId, quantity: 2 }]);
  const { intent } = await start(order, { method: 'card' });
  standIn.confirm(intent, { paymentMethod: 'pm_card_visa' });
  await deliver();
  expect(await read(order)).toMatchObject({ status: 'approved' });
  return { order, itemId, intent };
}

describe('PUT /producers/{id}/payout', () => {
  it('sets the account, writes an audit entry and mails the owners', async () => {
    const answer = await set({ provider: 'stripe', account });
    expect([answer.statusCode, answer.json()]).toMatchObject([200, { id: world.producer, payout: { provider: 'stripe', account } }]);
    expect(await auditOf(world, answer)).toEqual([
      {
        by: `user ${world.users.admin}`,
        operation: 'setPayout',
        on: `producer ${world.producer}`,
        producer: world.producer,
        before: { payout: null },
        after: { payout: { provider: 'stripe', account } },
      },
    ]);
    const payload = { producer: 'First', before: null, after: { provider: 'stripe', account } };
    expect(await mails()).toEqual([{ recipient: world.emails.owner, locale: 'pt-BR', payload }]);
    // The same values again are no change.
    expect((await set({ provider: 'stripe', account })).statusCode).toBe(200);
    expect(await mails()).toHaveLength(1);
  });

  it('the mail names the new and the previous account in each language', async () => {
    const payload: MailPayloads['payout_changed'] = {
      producer: 'Aurora',
      before: { provider: 'stripe', account: 'acct_old' },
      after: null,
    };
    for (const locale of ['pt-BR', 'en', 'es'] as const) {
      const mail = await inTransaction(world.db, {}, (tx) =>
        renderPayoutChanged(tx, { payload, locale, recipient: 'ana@test.test', at: noon }),
      );
      const { subject, text } = writeLetter(mail?.letter ?? { locale, subject: '', blocks: [], footer: '' });
      expect([subject, text]).toEqual([expect.stringContaining('Aurora'), expect.stringContaining('acct_old (stripe)')]);
    }
  });

  it('shows the account to owners and admins, not to managers', async () => {
    await set({ provider: 'stripe', account });
    expect(await producerFor('owner')).toMatchObject({ payout: { provider: 'stripe', account } });
    expect(await producerFor('admin')).toMatchObject({ payout: { provider: 'stripe', account } });
    expect(await producerFor('manager')).not.toHaveProperty('payout');
    const listed = await world.call('GET', '/producers', { as: 'manager' });
    expect(JSON.stringify(listed.json())).not.toContain('payout');
    const renamed = await world.call('PUT', `/producers/${world.producer}`, { as: 'manager', body: { name: 'First' } });
    expect([renamed.statusCode, JSON.stringify(renamed.json())]).toEqual([200, expect.not.stringContaining('payout')]);
  });

  it.each<Caller>(['owner', 'manager', 'stranger'])('returns 403 to %s, because the money of the sales goes there', async (caller) => {
    expect((await set({ provider: 'stripe', account: 'acct_another' }, caller)).statusCode).toBe(403);
    expect((await remove(caller)).statusCode).toBe(403);
  });

  it.each([
    [{ provider: 'mercadopago', account: '123456' }, 'provider', 'no_payouts'],
    [{ provider: 'sandbox', account }, 'provider', 'unavailable'],
    [{ provider: 'cash', account }, 'provider', 'unavailable'],
    [{ provider: 'stripe', account: '123456' }, 'account', 'form'],
  ])('returns 422 for %j', async (body, field, code) => {
    expect((await set(body)).json()).toMatchObject({ status: 422, errors: [{ field, code }] });
  });

  it('returns 400 without an account, 404 for an unknown producer and 412 for a stale version', async () => {
    expect((await set({ provider: 'stripe' })).statusCode).toBe(400);
    const body = { provider: 'stripe', account };
    expect((await world.call('PUT', `/producers/${world.missing}/payout`, { as: 'admin', body })).statusCode).toBe(404);
    expect((await world.call('PUT', payoutAt(), { as: 'admin', body, headers: { 'if-match': '"stale"' } })).statusCode).toBe(412);
  });
});

describe("a payment with the producer's own account", () => {
  it("goes to the account, and the platform's fee is the application fee", async () => {
    await set({ provider: 'stripe', account });
    const { intent } = await buyTwo();
    expect(chargesOf(intent)).toMatchObject([{ amount: 10_600, destination: account, transferred: 10_600, applicationFee: 1000 }]);
    expect(await rowsOf('select payout_account, platform_fee from payment where provider_id = $1', intent)).toEqual([
      { payout_account: account, platform_fee: 1000 },
    ]);
  });

  it('is refunded with transfer and fee in proportion, in parts and as a whole', async () => {
    await set({ provider: 'stripe', account });
    const { order, itemId, intent } = await buyTwo();
    // The account was removed meanwhile. The money is taken back from where it is.
    await remove();
    await shop.refund(order, { lines: [{ itemId, quantity: 1 }] });
    await run(finishRefunds);
    expect(chargesOf(intent)).toMatchObject([{ amountRefunded: 5300, transferReversed: 5300, applicationFeeRefunded: 500 }]);
    await shop.refund(order);
    await run(finishRefunds);
    expect(chargesOf(intent)).toMatchObject([{ amountRefunded: 10_600, transferReversed: 10_600, applicationFeeRefunded: 1000 }]);
  });
});

describe('an account that Stripe does not know', () => {
  it('makes payments fail with 409, and the order stays held', async () => {
    await set({ provider: 'stripe', account: 'acct_closed' });
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const body = { method: 'card' };
    const answer = await world.call('POST', `/orders/${order.id}/payment?secret=${order.secret}`, { body });
    expect(answer.json()).toMatchObject({ status: 409, code: 'payment_declined' });
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'declined' }] });
    await remove();
  });
});

describe('DELETE /producers/{id}/payout', () => {
  it('returns 204, and later payments go to the platform', async () => {
    await set({ provider: 'stripe', account });
    const before = (await mails()).length;
    expect((await remove()).statusCode).toBe(204);
    expect(await producerFor('owner')).toMatchObject({ payout: null });
    expect(await mails()).toHaveLength(before + 1);
    const { order, intent } = await buyTwo();
    expect(chargesOf(intent)).toMatchObject([{ amount: 10_600, destination: null, transferred: 0, applicationFee: 0 }]);
    await shop.refund(order);
    await run(finishRefunds);
    expect(chargesOf(intent)).toMatchObject([{ amountRefunded: 10_600, transferReversed: 0 }]);
    expect((await remove()).statusCode).toBe(404);
  });
});
