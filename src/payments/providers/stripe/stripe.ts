import type { PaymentProvider, ProviderMethod } from '../port.ts';
import { changesSince } from './changes.ts';
import { apiVersion, createApi, type StripeConfig } from './client.ts';
import { convertErrors } from './errors.ts';
import { cancelPayment, findPayment } from './find-payment.ts';
import { readNotice } from './notices.ts';
import { findRefund, startRefund } from './refunds.ts';
import { startPayment } from './start-payment.ts';

/** Currencies that have cents at Stripe. Others, such as CLP, would need amounts without cents. */
const currenciesWithCents =
  'ARS AUD BOB BRL CAD CHF COP CRC CZK DKK DOP EUR GBP GTQ HNL INR MXN NIO NOK NZD PAB PEN PLN RON SEK USD UYU ZAR'.split(' ');

/** Stripe.js has the same releases as the API: the version `2026-10-28.endive` belongs to the release `endive`. */
const script = `https://js.stripe.com/${apiVersion.split('.')[1]}/stripe.js`;

/** An account accepts PIX and boleto only if they are enabled in its settings at Stripe. */
const methodsOf = ({ publishableKey }: StripeConfig): ProviderMethod[] => [
  { method: 'card', currencies: currenciesWithCents, action: 'client', component: { script, publishableKey } },
  { method: 'pix', currencies: ['BRL'], action: 'display' },
  { method: 'boleto', currencies: ['BRL'], action: 'redirect', confirmedLater: true, needs: ['document', 'address'] },
];

export function createStripe(config: StripeConfig): PaymentProvider {
  const chosen = methodsOf(config).filter(({ method }) => config.methods.includes(method));
  const api = createApi(config);
  return {
    name: 'stripe',
    methods: chosen,
    payoutAccount: /^acct_\w{5,90}$/,
    start: (payment, signal) => convertErrors(() => startPayment(api, payment, signal)),
    find: (payment, signal) => convertErrors(() => findPayment(api, payment, signal)),
    cancel: ({ providerId }, signal) => convertErrors(() => cancelPayment(api, providerId, signal)),
    refund: (refund, signal) => convertErrors(() => startRefund(api, refund, signal)),
    findRefund: (refund, signal) => convertErrors(() => findRefund(api, refund, signal)),
    readNotice: (raw, headers, receivedAt) => readNotice(api, raw, headers, receivedAt),
    changesSince: (since, signal) => changesSince(api, since, signal),
  };
}
