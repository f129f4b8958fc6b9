import type { Config } from '../../config.ts';
import type { Database } from '../../postgres/database.ts';
import type { PaymentBody } from '../contract.ts';
import type { PaymentProvider, ProviderMethod } from './port.ts';
import { createSandbox } from './sandbox/sandbox.ts';

/** A payment method that this shop accepts. */
export interface AcceptedMethod extends Omit<ProviderMethod, 'method'> {
  method: PaymentBody['method'];
  provider: string;
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
  const opened: PaymentProvider[] = [];
  for (const name of config.payments) {
    const provider = await open(name, config, db, clock);
    if (provider) opened.push(provider);
  }
  return { methods: methodsOf(config.payments, opened), byName: new Map(opened.map((provider) => [provider.name, provider])) };
}

/** The packages of the companies are large, so they are loaded only if they are used. */
async function open(name: string, { stripe, mercadoPago }: Config, db: Database, clock: () => Date): Promise<PaymentProvider | null> {
  if (name === 'sandbox') return createSandbox(db, clock);
  if (name === 'stripe' && stripe) return (await import('./stripe/stripe.ts')).createStripe({ ...stripe, timeoutMs });
  if (name === 'mercadopago' && mercadoPago) {
    return (await import('./mercado-pago/mercado-pago.ts')).createMercadoPago({ ...mercadoPago, timeoutMs });
  }
  return null;
}

/** For the description of the API, which calls no provider. */
export const noProviders: Providers = { methods: new Map(), byName: new Map() };

function methodsOf(names: Iterable<string>, opened: readonly PaymentProvider[]): Providers['methods'] {
  const accepted = [...names].flatMap((name): AcceptedMethod[] => [
    ...(decidedAtOnce[name] ?? []).map((method) => ({ method, provider: name, currencies: null, action: 'none' as const, atOnce: true })),
    ...(opened.find((provider) => provider.name === name)?.methods ?? []).map((method) => ({ ...method, provider: name, atOnce: false })),
  ]);
  const first = accepted.filter(({ method }, i) => accepted.findIndex((each) => each.method === method) === i);
  return new Map(first.map((each) => [each.method, each]));
}
