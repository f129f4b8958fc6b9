import type { Config } from '../../config.ts';
import type { Database } from '../../postgres/database.ts';
import type { PaymentBody } from '../contract.ts';
import { createMercadoPago } from './mercado-pago/mercado-pago.ts';
import type { PaymentProvider, ProviderMethod } from './port.ts';
import { createSandbox } from './sandbox/sandbox.ts';
import { createStripe } from './stripe/stripe.ts';

/** A payment method that this shop accepts. */
export interface AcceptedMethod {
  method: PaymentBody['method'];
  provider: string;
  /** Null: all currencies. */
  currencies: readonly string[] | null;
  action: ProviderMethod['action'];
  /** Whether the payment is decided in the transaction of the request. All other payments are decided by a call to the provider. */
  atOnce: boolean;
}

export interface Providers {
  methods: ReadonlyMap<PaymentBody['method'], AcceptedMethod>;
  /** The providers that are called, by name. */
  byName: ReadonlyMap<string, PaymentProvider>;
}

/** The longest time that a call to a provider may take. */
const timeoutMs = 10_000;

/** The crew takes cash before recording the payment, and the sandbox approves cards without a network. */
const decidedAtOnce: Record<string, PaymentBody['method'][]> = { cash: ['cash'], sandbox: ['card'] };

/** Opens the providers in PAYMENTS. If several have the same method, the first one in PAYMENTS gets its payments. */
export async function openProviders(config: Config, db: Database, clock: () => Date): Promise<Providers> {
  const { stripe, mercadoPago } = config;
  const opened: PaymentProvider[] = [];
  for (const name of config.payments) {
    if (name === 'sandbox') opened.push(await createSandbox(db, clock));
    if (name === 'stripe' && stripe) opened.push(createStripe({ ...stripe, timeoutMs }));
    if (name === 'mercadopago' && mercadoPago) opened.push(createMercadoPago({ ...mercadoPago, timeoutMs }));
  }
  return { methods: methodsOf(config.payments, opened), byName: new Map(opened.map((provider) => [provider.name, provider])) };
}

/** For the description of the API, which calls no provider. */
export const noProviders: Providers = { methods: new Map(), byName: new Map() };

function methodsOf(names: Iterable<string>, opened: readonly PaymentProvider[]): Providers['methods'] {
  const accepted = [...names].flatMap((name): AcceptedMethod[] => [
    ...(decidedAtOnce[name] ?? []).map((method) => ({ method, provider: name, currencies: null, action: 'none' as const, atOnce: true })),
    ...(opened.find((provider) => provider.name === name)?.methods ?? []).map((method) => ({ ...method, provider: name, atOnce: false })),
  ]);
  return new Map(accepted.toReversed().map((each) => [each.method, each]));
}
