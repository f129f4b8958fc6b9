import { InvalidWebhookSignatureError, Payment, WebhookSignatureValidator } from 'mercadopago';
import { InvalidNotice, type ProviderNotice, ProviderUnavailable } from '../port.ts';
import { convertErrors, type MercadoPagoApi, toTimestamp } from './client.ts';
import { paymentOf } from './payments.ts';

const maxAgeSeconds = 300;

/**
 * The signature covers only the id of the payment, the id of the request and the time. Nothing else of the body can be trusted, so the
 * state of the payment must be read.
 */
export function readNotice(
  api: MercadoPagoApi,
  raw: Buffer,
  headers: Record<string, string | undefined>,
  receivedAt: Date,
): ProviderNotice {
  const { type, data } = parsed(raw);
  const { 'x-signature': signature, 'x-request-id': requestId } = headers;
  if (!data?.id || !requestId) throw new InvalidNotice('The notice has no payment or no request id.');
  const dataId = typeof data.id === 'number' ? String(data.id) : data.id;
  try {
    WebhookSignatureValidator.validate({ xSignature: signature, xRequestId: requestId, dataId, secret: api.webhookSecret });
  } catch (error) {
    if (error instanceof InvalidWebhookSignatureError) throw new InvalidNotice('The signature of the notice is wrong.');
    throw error;
  }
  if (Math.abs(receivedAt.getTime() - signedAt(signature)) > maxAgeSeconds * 1000) {
    throw new InvalidNotice('The signature of the notice is too old.');
  }
  const notice = { id: requestId, type: String(type), account: null };
  return type === 'payment' && /^\d+$/.test(dataId)
    ? { ...notice, about: 'change', paymentProviderId: dataId }
    : { ...notice, about: 'nothing' };
}

function parsed(raw: Buffer): { type?: unknown; data?: { id?: number | string } } {
  try {
    return (JSON.parse(raw.toString('utf8')) ?? {}) as object;
  } catch {
    throw new InvalidNotice('The notice is not JSON.');
  }
}

/** The documentation has times in seconds and also in milliseconds. The package would check only seconds. */
function signedAt(signature = ''): number {
  const time = Number(/(?:^|,)\s*ts=(\d+)/.exec(signature)?.[1]);
  return time > 100_000_000_000 ? time : time * 1000;
}

const pageSize = 50;

/** Each page starts at the time of the last payment, because a payment that changes meanwhile moves to the end of the list. */
export async function* changesSince(api: MercadoPagoApi, since: Date, signal: AbortSignal): AsyncGenerator<ProviderNotice> {
  const seen = new Set<string>();
  for (let from = toTimestamp(since); ; ) {
    const { results } = await searchPage(api, from, signal);
    if (!results) throw new ProviderUnavailable('The response of Mercado Pago is incomplete.');
    const fresh = results
      .map((payment) => ({ payment, id: `${payment.id}-${payment.date_last_updated}` }))
      .filter(({ id }) => !seen.has(id));
    for (const { payment, id } of fresh) {
      seen.add(id);
      yield { id, type: 'payment.search', account: null, about: 'payment', payment: paymentOf(payment) };
    }
    const last = results.at(-1)?.date_last_updated;
    if (results.length < pageSize || fresh.length === 0 || !last) return;
    from = last;
  }
}

const searchPage = (api: MercadoPagoApi, from: string, signal: AbortSignal) =>
  convertErrors(() =>
    api.send(signal, (config) => {
      const range = { range: 'date_last_updated', begin_date: from, end_date: 'NOW' } as const;
      const options = { ...range, sort: 'date_last_updated', criteria: 'asc', limit: pageSize } as const;
      return new Payment(config).search({ options });
    }),
  );
