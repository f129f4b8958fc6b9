import Stripe from 'stripe';

/** Returns the error of a request that must fail. */
export async function failureOf(request: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const outcome = await request.then(
    () => 'The request succeeded.',
    (error: unknown) => error,
  );
  if (outcome instanceof Stripe.errors.StripeError) return outcome;
  throw outcome instanceof Error ? outcome : new Error(String(outcome));
}
