import { MercadoPagoConfig, MercadoPagoError } from 'mercadopago';
import { ProviderRefusal, ProviderUnavailable } from '../port.ts';
import { withinTime } from '../within-time.ts';

export interface MercadoPagoSettings {
  accessToken: string;
  /** The secret signature of the webhooks of the application. */
  webhookSecret: string;
  timeoutMs: number;
}

export interface MercadoPagoApi {
  webhookSecret: string;
  /** Sends one request. */
  send<T>(signal: AbortSignal, request: (config: MercadoPagoConfig) => Promise<T>): Promise<T>;
}

export const createApi = ({ accessToken, webhookSecret, timeoutMs }: MercadoPagoSettings): MercadoPagoApi => ({
  webhookSecret,
  send: (signal, request) =>
    withinTime('Mercado Pago', signal, timeoutMs, () =>
      // Each request has a configuration of its own, because the package keeps the idempotency key of a request for the next ones.
      request(new MercadoPagoConfig({ accessToken, options: { timeout: timeoutMs, maxRetries: 0 } })),
    ),
});

/** Mercado Pago returned an error although the request may have had its effect. Only reading shows what happened. */
export const mayHaveEffect = (error: unknown): boolean =>
  error instanceof MercadoPagoError && ([409, 424].includes(error.status) || error.status >= 500);

/** The status 0 is a lost connection, and 423 is a key that another request is using. */
const isUndecided = (error: MercadoPagoError): boolean => mayHaveEffect(error) || [0, 423, 429].includes(error.status);

/** Runs requests and converts their errors. The causes are left out, because they contain the request with the access token. */
export async function convertErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof MercadoPagoError)) throw error;
    if (isUndecided(error)) throw new ProviderUnavailable(`Mercado Pago did not decide (status ${error.status}).`);
    if (error.status === 401) throw new ProviderRefusal('Mercado Pago does not accept the access token.');
    throw new ProviderRefusal(`Mercado Pago refused the request: ${error.message.replaceAll(/(APP_USR|TEST)-[\w-]+/g, '(secret)')}`);
  }
}

/** Mercado Pago has amounts in reais. */
export const toReais = (cents: number): number => cents / 100;
export const toCents = (reais: number): number => Math.round(reais * 100);

/** The documented format has an offset instead of the letter Z. */
export const toTimestamp = (time: Date): string => time.toISOString().replace('Z', '+00:00');
