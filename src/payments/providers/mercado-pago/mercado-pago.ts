import type { PaymentProvider } from '../port.ts';
import { convertErrors, createApi, type MercadoPagoSettings } from './client.ts';
import { changesSince, readNotice } from './notices.ts';
import { cancelPayment, findPayment, startPayment } from './payments.ts';
import { findRefund, startRefund } from './refunds.ts';

/** PIX with Mercado Pago. */
export function createMercadoPago(settings: MercadoPagoSettings): PaymentProvider {
  const api = createApi(settings);
  return {
    name: 'mercadopago',
    methods: [{ method: 'pix', currencies: ['BRL'], action: 'display' }],
    payoutAccount: null,
    start: (payment, signal) => convertErrors(() => startPayment(api, payment, signal)),
    find: (payment, signal) => convertErrors(() => findPayment(api, payment, signal)),
    cancel: ({ providerId }, signal) => convertErrors(() => cancelPayment(api, providerId, signal)),
    refund: (refund, signal) => convertErrors(() => startRefund(api, refund, signal)),
    findRefund: (refund, signal) => convertErrors(() => findRefund(api, refund, signal)),
    readNotice: (raw, headers, receivedAt) => readNotice(api, raw, headers, receivedAt),
    changesSince: (since, signal) => changesSince(api, since, signal),
  };
}
