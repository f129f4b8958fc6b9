import { MercadoPagoError, Payment } from 'mercadopago';
import { type PaymentToFind, type PaymentToStart, type ProviderPayment, ProviderRefusal, ProviderUnavailable } from '../port.ts';
import { type MercadoPagoApi, mayHaveEffect, toCents, toReais, toTimestamp } from './client.ts';

/** The fields that payments have in both responses: one payment, and a result of a search. */
interface PaymentFields {
  id?: number | string;
  status?: string;
  status_detail?: string;
  external_reference?: string;
  transaction_amount?: number;
  fee_details?: { type?: string; amount?: number; fee_payer?: string }[];
  point_of_interaction?: { transaction_data?: { qr_code?: string } };
}

const openStatuses = new Set(['pending', 'in_process', 'authorized']);
const failedStatuses = new Set(['cancelled', 'rejected']);

/** The package returns an empty object if the connection ends within the response. */
export function paymentOf(payment: PaymentFields): ProviderPayment {
  const { id, status: state, external_reference: reference, transaction_amount: reais } = payment;
  if (!id || !state || reais === undefined) throw new ProviderUnavailable('The response of Mercado Pago is incomplete.');
  // A payment that was refunded later has been paid, too.
  const status = openStatuses.has(state) ? 'open' : failedStatuses.has(state) ? 'failed' : 'paid';
  const code = payment.point_of_interaction?.transaction_data?.qr_code;
  return {
    reference: reference ?? null,
    providerId: String(id),
    status,
    amount: toCents(reais),
    received: status === 'paid' ? toCents(reais) : 0,
    fee: status === 'paid' ? feeOf(payment) : null,
    action: status === 'open' && code ? { type: 'display', code, imageUrl: null } : null,
    failure: status === 'failed' ? failureOf(payment) : null,
  };
}

/** Results of a search have no fees. */
function feeOf({ fee_details: fees }: PaymentFields): number | null {
  const own = fees?.filter(({ type, fee_payer: payer }) => type !== 'application_fee' && payer === 'collector');
  return own?.reduce((sum, { amount = 0 }) => sum + toCents(amount), 0) ?? null;
}

const failureOf = ({ status, status_detail: detail }: PaymentFields): string => {
  if (detail === 'expired') return 'The code expired before it was paid.';
  return status === 'cancelled' ? 'The payment was canceled.' : 'The payment failed.';
};

/** Mercado Pago accepts times of at least 30 minutes. The service cancels the payment when it expires, so this is only a second limit. */
const shortestExpiryMs = 30 * 60_000;

export async function startPayment(api: MercadoPagoApi, payment: PaymentToStart, signal: AbortSignal): Promise<ProviderPayment> {
  const { reference, method, amount, currency, expiresAt, eventId, orderId, description, buyer, payout } = payment;
  if (method !== 'pix' || currency !== 'BRL') throw new ProviderRefusal('Mercado Pago takes only PIX in BRL.');
  if (payout) throw new ProviderRefusal('Payments to the own account of a producer are not possible with Mercado Pago.');
  const [firstName = '', ...lastNames] = buyer.name.split(' ');
  const body = {
    transaction_amount: toReais(amount),
    description,
    payment_method_id: 'pix',
    external_reference: reference,
    date_of_expiration: toTimestamp(new Date(expiresAt.getTime() + shortestExpiryMs)),
    metadata: { reference, event: String(eventId), order: String(orderId) },
    payer: { email: buyer.email, first_name: firstName, last_name: lastNames.join(' '), ...identificationOf(buyer.document) },
  };
  try {
    const requestOptions = { idempotencyKey: reference };
    return paymentOf(await api.send(signal, (config) => new Payment(config).create({ body, requestOptions })));
  } catch (error) {
    const found = mayHaveEffect(error) ? await findByReference(api, reference, signal) : null;
    if (!found) throw error;
    return found;
  }
}

function identificationOf(document: string | null) {
  const number = document?.replaceAll(/\D/g, '');
  return number ? { identification: { type: number.length > 11 ? 'CNPJ' : 'CPF', number } } : {};
}

export async function findPayment(api: MercadoPagoApi, payment: PaymentToFind, signal: AbortSignal): Promise<ProviderPayment | null> {
  const { reference, providerId } = payment;
  if (providerId === null) return findByReference(api, reference, signal);
  try {
    return await readPayment(api, providerId, signal);
  } catch (error) {
    if (error instanceof MercadoPagoError && error.status === 404) return null;
    throw error;
  }
}

const readPayment = async (api: MercadoPagoApi, id: string, signal: AbortSignal): Promise<ProviderPayment> =>
  paymentOf(await api.send(signal, (config) => new Payment(config).get({ id })));

async function findByReference(api: MercadoPagoApi, reference: string, signal: AbortSignal): Promise<ProviderPayment | null> {
  const options = { external_reference: reference };
  const { results } = await api.send(signal, (config) => new Payment(config).search({ options }));
  if (!results) throw new ProviderUnavailable('The response of Mercado Pago is incomplete.');
  const found = results.find(({ external_reference: other }) => other === reference);
  return found?.id ? readPayment(api, found.id, signal) : null;
}

export async function cancelPayment(api: MercadoPagoApi, id: string, signal: AbortSignal): Promise<ProviderPayment> {
  try {
    return paymentOf(await api.send(signal, (config) => new Payment(config).cancel({ id })));
  } catch (error) {
    // A payment that is paid or canceled cannot be canceled.
    const state = error instanceof MercadoPagoError && error.status === 400 ? await readPayment(api, id, signal) : null;
    if (!state || state.status === 'open') throw error;
    return state;
  }
}
