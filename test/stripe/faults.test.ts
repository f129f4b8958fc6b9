import type Stripe from 'stripe';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { failureOf } from './failures.ts';
import { startStandIn } from './stand-in.ts';
import { useStandIn } from './use-stand-in.ts';

const standIn = useStandIn();
let stripe: Stripe;
let retrying: Stripe;
beforeAll(() => {
  stripe = standIn.client();
  retrying = standIn.client({ maxNetworkRetries: 2 });
});

const payment: Stripe.PaymentIntentCreateParams = {
  amount: 500,
  currency: 'brl',
  allowed_payment_method_types: ['card'],
  payment_method: 'pm_card_visa',
  confirm: true,
};
const pay = (idempotencyKey: string, client = stripe) => client.paymentIntents.create(payment, { idempotencyKey });
const chargesWith = (key: string) => standIn.charges().filter(({ idempotencyKey }) => idempotencyKey === key);
const requestsWith = (key: string) => standIn.requests().filter(({ idempotencyKey }) => idempotencyKey === key);

describe('errors', () => {
  it('card_declined declines any card with the chosen code', async () => {
    standIn.addFault({ kind: 'card_declined', declineCode: 'insufficient_funds' });
    expect(await failureOf(pay('declined'))).toMatchObject({ code: 'card_declined', decline_code: 'insufficient_funds' });
    expect((await pay('after the fault')).status).toBe('succeeded');
  });

  it('rate_limit returns 429 without effect, and the key stays usable', async () => {
    standIn.addFault({ kind: 'rate_limit', times: 2 });
    for (let i = 0; i < 2; i++) {
      expect(await failureOf(pay('limited'))).toMatchObject({ type: 'StripeRateLimitError', statusCode: 429, code: 'rate_limit' });
    }
    expect(chargesWith('limited')).toEqual([]);
    expect((await pay('limited')).status).toBe('succeeded');
  });

  it('the package does not retry 429', async () => {
    standIn.addFault({ kind: 'rate_limit' });
    expect((await failureOf(pay('limited once', retrying))).statusCode).toBe(429);
    expect(requestsWith('limited once')).toHaveLength(1);
  });

  it('lock_timeout returns 429 with its own code', async () => {
    standIn.addFault({ kind: 'lock_timeout' });
    expect(await failureOf(pay('locked'))).toMatchObject({ statusCode: 429, code: 'lock_timeout' });
  });

  it('api_error returns 500 without effect, and the key replays the 500', async () => {
    standIn.addFault({ kind: 'api_error' });
    const failure = { type: 'StripeAPIError', statusCode: 500, rawType: 'api_error' };
    expect(await failureOf(pay('broken'))).toMatchObject(failure);
    const again = await failureOf(pay('broken'));
    expect(again).toMatchObject({ ...failure, headers: { 'idempotent-replayed': 'true' } });
    expect(chargesWith('broken')).toEqual([]);
    expect((await pay('a new key')).status).toBe('succeeded');
  });

  it('api_error_after_effect returns 500 although the card was charged', async () => {
    standIn.addFault({ kind: 'api_error_after_effect' });
    expect((await failureOf(pay('half broken'))).statusCode).toBe(500);
    expect(chargesWith('half broken')).toHaveLength(1);
    expect((await failureOf(pay('half broken'))).statusCode).toBe(500);
    expect(chargesWith('half broken')).toHaveLength(1);
  });
});

describe('connections', () => {
  it('the package repeats a cut request once even without retries, with the same key', async () => {
    standIn.addFault({ kind: 'cut_after_effect' });
    expect((await pay('cut once')).status).toBe('succeeded');
    expect(requestsWith('cut once')).toMatchObject([
      { cut: true, replayed: false },
      { cut: false, replayed: true },
    ]);
    expect(chargesWith('cut once')).toHaveLength(1);
  });

  it('cut_before_effect has no effect, and a retry charges once', async () => {
    standIn.addFault({ kind: 'cut_before_effect', times: 2 });
    expect((await failureOf(pay('cut before'))).type).toBe('StripeConnectionError');
    expect(chargesWith('cut before')).toEqual([]);
    expect((await pay('cut before')).status).toBe('succeeded');
    expect(chargesWith('cut before')).toHaveLength(1);
  });

  it('cut_after_effect has the effect, and a retry with the same key replays it', async () => {
    standIn.addFault({ kind: 'cut_after_effect', times: 2 });
    expect((await failureOf(pay('cut after'))).type).toBe('StripeConnectionError');
    expect(chargesWith('cut after')).toHaveLength(1);
    const intent = await pay('cut after');
    expect(intent.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(chargesWith('cut after')).toHaveLength(1);
  });

  it('a retry with another key after cut_after_effect charges twice, and the ledger shows it', async () => {
    standIn.addFault({ kind: 'cut_after_effect', times: 2 });
    await failureOf(pay('first key'));
    await pay('second key');
    expect([...chargesWith('first key'), ...chargesWith('second key')]).toHaveLength(2);
  });

  it('cut_body ends the response in the middle', async () => {
    standIn.addFault({ kind: 'cut_body', times: 2 });
    expect((await failureOf(pay('cut body'))).type).toBe('StripeConnectionError');
    expect(chargesWith('cut body')).toHaveLength(1);
    standIn.clearFaults();
    expect((await pay('cut body')).status).toBe('succeeded');
    expect(chargesWith('cut body')).toHaveLength(1);
  });

  it('the package with two retries survives two cuts', async () => {
    standIn.addFault({ kind: 'cut_after_effect', times: 2 });
    expect((await pay('two cuts', retrying)).status).toBe('succeeded');
    expect(requestsWith('two cuts')).toHaveLength(3);
    expect(chargesWith('two cuts')).toHaveLength(1);
  });
});

describe('delays', () => {
  /** On a busy machine the timeout may pass before the request arrives. Then the request is sent again. */
  async function timeOut(key: string, fault: number): Promise<void> {
    const impatient = standIn.client({ timeout: 200 });
    await eventually('a request is held', async () => {
      expect((await failureOf(pay(key, impatient))).type).toBe('StripeConnectionError');
      return standIn.faultStatus(fault).used > 0;
    });
  }

  it('hold_after_effect: the client times out, and the retry gets the stored response', async () => {
    const fault = standIn.addFault({ kind: 'hold_after_effect' });
    await timeOut('slow response', fault);
    expect(standIn.faultStatus(fault)).toEqual({ used: 1, waiting: 1 });
    expect((await pay('slow response')).lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(chargesWith('slow response')).toHaveLength(1);
  });

  it('hold_before_effect: the effect happens after the client has given up', async () => {
    const fault = standIn.addFault({ kind: 'hold_before_effect' });
    await timeOut('slow request', fault);
    expect(chargesWith('slow request')).toEqual([]);
    standIn.releaseFault(fault);
    await eventually('the request is executed', () => chargesWith('slow request').length === 1);
    expect((await pay('slow request')).lastResponse.headers['idempotent-replayed']).toBe('true');
  });
});

describe('which requests a fault hits', () => {
  it('the method and the path select requests', async () => {
    const { id } = await pay('to read');
    const fault = standIn.addFault({ kind: 'rate_limit', method: 'GET', path: '/v1/payment_intents/*', times: 5 });
    await pay('not a GET');
    await stripe.paymentIntents.list();
    expect(standIn.faultStatus(fault).used).toBe(0);
    expect((await failureOf(stripe.paymentIntents.retrieve(id))).statusCode).toBe(429);
    expect(standIn.faultStatus(fault).used).toBe(1);
  });

  it('a fraction hits the same requests for the same seed', async () => {
    const hitsOf = async (seed: number): Promise<boolean[]> => {
      const other = await startStandIn({ seed });
      other.addFault({ kind: 'rate_limit', fraction: 0.5 });
      const hits: boolean[] = [];
      for (let i = 0; i < 40; i++)
        hits.push(
          await other
            .client()
            .events.list()
            .then(
              () => false,
              () => true,
            ),
        );
      await other.close();
      return hits;
    };
    const hits = await hitsOf(7);
    expect(await hitsOf(7)).toEqual(hits);
    expect(await hitsOf(8)).not.toEqual(hits);
    expect(new Set(hits).size).toBe(2);
  });
});
