import { beforeAll, describe, expect, it } from 'vitest';
import { useMercadoPago } from '../../../../test/mercado-pago/stand-in.ts';
import {
  InvalidNotice,
  type PaymentProvider,
  type PaymentToStart,
  type ProviderNotice,
  ProviderRefusal,
  ProviderUnavailable,
} from '../port.ts';
import { createMercadoPago } from './mercado-pago.ts';

const standIn = useMercadoPago();
const never = new AbortController().signal;
const { clock: startOfTest } = standIn;
const minutesLater = (minutes: number) => new Date(startOfTest.getTime() + minutes * 60_000);
let provider: PaymentProvider;
const { accessToken, webhookSecret } = standIn;
beforeAll(() => {
  provider = createMercadoPago({ accessToken, webhookSecret, timeoutMs: 60_000 });
});

let references = 0;
const newPayment = (changes: Partial<PaymentToStart> = {}): PaymentToStart => ({
  reference: `REFERENCE${++references}`,
  method: 'pix',
  amount: 10_050,
  currency: 'BRL',
  expiresAt: minutesLater(15),
  eventId: 7,
  orderId: 42,
  description: 'Order 42',
  buyer: { name: 'Ana Maria Souza', email: 'ana@example.com', document: '529.982.247-25' },
  payout: null,
  ...changes,
});
const start = (changes?: Partial<PaymentToStart>) => provider.start(newPayment(changes), never);
const find = (reference: string, providerId: string | null = null) =>
  provider.find({ reference, providerId, startedAt: startOfTest, payoutAccount: null }, never);
const paymentsOf = (reference: string) => [...standIn.payments.values()].filter((payment) => payment.external_reference === reference);

describe('start', () => {
  it('returns the PIX code', async () => {
    const payment = newPayment();
    const started = await provider.start(payment, never);
    expect(started).toEqual({
      reference: payment.reference,
      providerId: expect.stringMatching(/^\d+$/) as string,
      status: 'open',
      amount: 10_050,
      received: 0,
      fee: null,
      action: { type: 'display', code: `00020126-pix-${started.providerId}`, imageUrl: null },
      failure: null,
    });
    expect(paymentsOf(payment.reference)).toMatchObject([
      {
        transaction_amount: 100.5,
        payment_method_id: 'pix',
        date_of_expiration: '2026-11-20T12:45:00.000+00:00',
        payer: { first_name: 'Ana', last_name: 'Maria Souza', identification: { type: 'CPF', number: '52998224725' } },
      },
    ]);
  });

  it.each(['cut_before_effect', 'cut_after_effect', 'cut_body', 'rate_limit'] as const)(
    'creates one payment although it is repeated after %s',
    async (fault) => {
      const payment = newPayment();
      standIn.faults.push(fault);
      await expect(provider.start(payment, never)).rejects.toThrow(ProviderUnavailable);
      const { providerId } = await provider.start(payment, never);
      expect(paymentsOf(payment.reference)).toMatchObject([{ id: Number(providerId) }]);
    },
  );

  it('finds the payment after a 500 that had the effect', async () => {
    const payment = newPayment();
    standIn.faults.push('error_after_effect');
    expect(await provider.start(payment, never)).toMatchObject({ reference: payment.reference, status: 'open' });
    expect(paymentsOf(payment.reference)).toHaveLength(1);
  });

  it('does not use the key of one request for the next', async () => {
    const [first, second] = [await start(), await start()];
    expect(second.providerId).not.toBe(first.providerId);
    expect(await provider.cancel({ reference: '', providerId: first.providerId }, never)).toMatchObject({ status: 'failed' });
    expect(await provider.cancel({ reference: '', providerId: second.providerId }, never)).toMatchObject({ status: 'failed' });
  });

  it('refuses other methods and payments to the account of a producer', async () => {
    await expect(start({ method: 'card' })).rejects.toThrow(ProviderRefusal);
    await expect(start({ currency: 'USD' })).rejects.toThrow(ProviderRefusal);
    await expect(start({ payout: { account: '1', platformFee: 0 } })).rejects.toThrow(ProviderRefusal);
  });

  it('a wrong access token is a refusal without the token', async () => {
    const wrong = createMercadoPago({ accessToken: 'TEST-wrong-token', webhookSecret, timeoutMs: 60_000 });
    await expect(wrong.start(newPayment(), never)).rejects.toThrow(new ProviderRefusal('Mercado Pago does not accept the access token.'));
  });
});

describe('find and cancel', () => {
  it('finds a paid payment by id and by reference, with the fee', async () => {
    const { reference, providerId } = await start();
    standIn.pay(providerId);
    const paid = { reference, providerId, status: 'paid', received: 10_050, fee: 99, action: null };
    expect(await find('', providerId)).toMatchObject(paid);
    expect(await find(reference ?? '')).toMatchObject(paid);
    expect(await provider.cancel({ reference: '', providerId }, never)).toMatchObject(paid);
  });

  it('returns null for unknown payments', async () => {
    expect(await find('UNKNOWN')).toBeNull();
    expect(await find('UNKNOWN', '1')).toBeNull();
  });

  it('an expired payment has failed', async () => {
    const { providerId } = await start();
    standIn.expire(providerId);
    expect(await find('', providerId)).toMatchObject({ status: 'failed', failure: 'The code expired before it was paid.' });
  });

  it('a canceled payment cannot be paid', async () => {
    const { providerId } = await start();
    expect(await provider.cancel({ reference: '', providerId }, never)).toMatchObject({ status: 'failed' });
    expect(() => standIn.pay(providerId)).toThrow('cancelled');
  });
});

describe('refunds', () => {
  async function paid(): Promise<string> {
    const { providerId } = await start();
    standIn.pay(providerId);
    return providerId;
  }
  const newRefund = (paymentProviderId: string, amount: number) => ({
    reference: `REFUND${++references}`,
    paymentProviderId,
    amount,
    startedAt: startOfTest,
    payout: false,
  });
  const refundsOf = (id: string) => standIn.payments.get(Number(id))?.refunds.map(({ amount }) => amount);

  it('partial refunds add up, and more than the rest is a refusal', async () => {
    const id = await paid();
    expect(await provider.refund(newRefund(id, 4_000), never)).toMatchObject({ status: 'done', amount: 4_000, paymentProviderId: id });
    await expect(provider.refund(newRefund(id, 6_051), never)).rejects.toThrow(ProviderRefusal);
    await provider.refund(newRefund(id, 6_050), never);
    expect(refundsOf(id)).toEqual([40, 60.5]);
  });

  it.each(['cut_after_effect', 'cut_body'] as const)('a repeated refund refunds once after %s', async (fault) => {
    const refund = newRefund(await paid(), 1_000);
    expect(await provider.findRefund(refund, never)).toBeNull();
    standIn.faults.push(fault);
    await expect(provider.refund(refund, never)).rejects.toThrow(ProviderUnavailable);
    await expect(provider.findRefund(refund, never)).rejects.toThrow(ProviderUnavailable);
    expect(await provider.refund(refund, never)).toMatchObject({ status: 'done', reference: refund.reference });
    expect(refundsOf(refund.paymentProviderId)).toEqual([10]);
  });

  it('a refund that is in process is open', async () => {
    standIn.refundStatus = 'in_process';
    expect(await provider.refund(newRefund(await paid(), 1_000), never)).toMatchObject({ status: 'open' });
  });
});

describe('notices', () => {
  const read = ({ raw, headers }: ReturnType<typeof standIn.notice>, receivedAt = startOfTest) =>
    provider.readNotice(raw, headers, receivedAt);

  it('say which payment changed', async () => {
    const { providerId } = await start();
    const notice = standIn.notice(providerId);
    const expected = { id: notice.headers['x-request-id'], type: 'payment', account: null, about: 'change', paymentProviderId: providerId };
    expect(read(notice)).toEqual(expected);
    expect(read(standIn.notice(providerId, { ts: startOfTest.getTime() }))).toMatchObject({ about: 'change' });
    expect(read(standIn.notice('abc', { type: 'subscription' }))).toMatchObject({ about: 'nothing' });
  });

  it('are refused if they are forged, old, for another payment or malformed', () => {
    expect(() => read(standIn.notice('1', { secret: 'forged' }))).toThrow(InvalidNotice);
    expect(() => read(standIn.notice('1'), minutesLater(5.1))).toThrow('too old');
    expect(() => read({ ...standIn.notice('1'), raw: standIn.notice('2').raw })).toThrow(InvalidNotice);
    expect(() => provider.readNotice(standIn.notice('1').raw, {}, startOfTest)).toThrow(InvalidNotice);
    for (const text of ['{', 'null', '"text"', '{"data":{"id":{}}}']) {
      expect(() => read({ ...standIn.notice('1'), raw: Buffer.from(text) })).toThrow(InvalidNotice);
    }
  });
});

describe('changesSince', () => {
  it('returns all pages, oldest first', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 120; i++) {
      standIn.clock = minutesLater(60 + Math.floor(i / 3));
      ids.push((await start({ expiresAt: minutesLater(600) })).providerId);
    }
    const found: ProviderNotice[] = [];
    for await (const notice of provider.changesSince(minutesLater(60), never)) found.push(notice);
    expect(found.map((notice) => notice.about === 'payment' && notice.payment.providerId)).toEqual(ids);
  });

  it('is unavailable if a page fails', async () => {
    standIn.faults.push('rate_limit');
    await expect(provider.changesSince(startOfTest, never)[Symbol.asyncIterator]().next()).rejects.toThrow(ProviderUnavailable);
  });
});
