import { afterAll, afterEach, beforeAll } from 'vitest';
import { type StandIn, type StandInOptions, startStandIn } from './stand-in.ts';

/**
 * Starts a stand-in for the tests of a file. Faults end with the test that added them.
 *
 *     const standIn = useStandIn({ accounts: ['acct_producer'] });
 *     it('a paid PIX approves the order', async () => {
 *       standIn.setEndpoint({ url: `${service}/v1/payments/stripe/notices`, secret: 'whsec_test' });
 *       const intent = await standIn.client().paymentIntents.create({ … });
 *       standIn.payPix(intent.id);
 *       await standIn.deliver({ copies: 2, order: 'shuffled' });
 *       expect(standIn.charges()).toHaveLength(1);
 *     });
 */
export function useStandIn(options: StandInOptions = {}): StandIn {
  const standIn = {} as StandIn;
  beforeAll(async () => {
    Object.assign(standIn, await startStandIn(options));
  });
  afterEach(() => standIn.clearFaults());
  afterAll(() => standIn.close());
  return standIn;
}
