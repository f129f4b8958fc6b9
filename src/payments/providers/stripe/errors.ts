import Stripe from 'stripe';
import { ProviderRefusal, ProviderUnavailable } from '../port.ts';

const { StripeError, StripeAPIError, StripeConnectionError, StripeIdempotencyError } = Stripe.errors;

/** Converts an error of the package. The new error has no cause, because the errors of the package contain client secrets. */
export function providerError(error: unknown): unknown {
  if (!(error instanceof StripeError)) return error;
  const { statusCode: status = 0, code } = error;
  if (error instanceof StripeConnectionError) return new ProviderUnavailable('Stripe could not be reached, or the connection was lost.');
  if (isUndecided(error)) return new ProviderUnavailable('Stripe had an internal error.');
  if (status === 429)
    return new ProviderUnavailable(code === 'lock_timeout' ? 'Stripe is busy with this object.' : 'Stripe limits the rate.');
  if (status === 409) return new ProviderUnavailable('Stripe is still working on the same request.');
  if (status === 401) return new ProviderRefusal('Stripe does not accept the secret key.');
  return new ProviderRefusal(`Stripe refused the request: ${withoutSecrets(error.message)}`);
}

/** Runs requests and converts their errors. */
export async function convertErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw providerError(error);
  }
}

/**
 * Whether the request may have had its effect although Stripe returned an error. Stripe stores the error with the idempotency key,
 * so repeating the request does not help. Only reading shows what happened. An idempotency error says that the key was used with
 * other values, so an earlier request may have had an effect.
 */
export const isUndecided = (error: unknown): boolean =>
  error instanceof StripeIdempotencyError ||
  error instanceof StripeAPIError ||
  (error instanceof StripeError && (error.statusCode ?? 0) >= 500);

const secrets = [/\b(sk|rk|pk|whsec)_[\w*]+/g, /\bpi_\w+_secret_\w+/g];

const withoutSecrets = (text: string): string => secrets.reduce((rest, secret) => rest.replaceAll(secret, '(secret)'), text);
