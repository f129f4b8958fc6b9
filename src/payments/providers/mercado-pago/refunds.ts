import { type MercadoPagoConfig, PaymentRefund } from 'mercadopago';
import { type ProviderRefund, ProviderUnavailable, type RefundToFind, type RefundToStart } from '../port.ts';
import { type MercadoPagoApi, toCents, toReais } from './client.ts';

type Refund = Awaited<ReturnType<PaymentRefund['create']>>;

const statuses: Record<string, ProviderRefund['status']> = { approved: 'done', rejected: 'failed', cancelled: 'failed' };

function refundOf({ id, amount, status = '' }: Refund, { reference, paymentProviderId }: RefundToFind): ProviderRefund {
  if (!id || amount === undefined) throw new ProviderUnavailable('The response of Mercado Pago is incomplete.');
  const result = statuses[status] ?? 'open';
  return {
    reference,
    providerId: String(id),
    paymentProviderId,
    status: result,
    amount: toCents(amount),
    failure: result === 'failed' ? 'The bank did not accept the refund.' : null,
  };
}

/** Without this header Mercado Pago returns 400 for a refund that is in process, as if it were refused. The package has no option for it. */
const optionsOf = ({ accessToken }: MercadoPagoConfig, idempotencyKey?: string): object => ({
  ...(idempotencyKey && { idempotencyKey }),
  headers: { Authorization: `Bearer ${accessToken}`, 'X-Render-In-Process-Refunds': 'true' },
});

export async function startRefund(api: MercadoPagoApi, refund: RefundToStart, signal: AbortSignal): Promise<ProviderRefund> {
  const { reference, paymentProviderId, amount } = refund;
  const created = await api.send(signal, (config) =>
    new PaymentRefund(config).create({
      payment_id: paymentProviderId,
      body: { amount: toReais(amount) },
      requestOptions: optionsOf(config, reference),
    }),
  );
  return refundOf(created, refund);
}

/** The allowed difference between the clocks of Mercado Pago and of the database. */
const clockDifferenceMs = 60_000;

/**
 * Refunds at Mercado Pago have no reference. If there is no refund since the start, the answer is certain. Otherwise only the same
 * request with the same key shows which refund it is.
 */
export async function findRefund(api: MercadoPagoApi, refund: RefundToFind, signal: AbortSignal): Promise<null> {
  const { paymentProviderId, startedAt } = refund;
  const refunds = await api.send(signal, (config) =>
    new PaymentRefund(config).list({ payment_id: paymentProviderId, requestOptions: optionsOf(config) }),
  );
  if (!Array.isArray(refunds)) throw new ProviderUnavailable('The response of Mercado Pago is incomplete.');
  const since = startedAt.getTime() - clockDifferenceMs;
  if (refunds.every(({ date_created: created = '' }) => Date.parse(created) < since)) return null;
  throw new ProviderUnavailable('Mercado Pago cannot find a refund by its reference. Repeat the refund with the same reference.');
}
