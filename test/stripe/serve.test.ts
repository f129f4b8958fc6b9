import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { failureOf } from './failures.ts';
import { startStandInProcess } from './own-process.ts';
import { useReceiver } from './receiver.ts';
import { type StandInOptions, startStandIn } from './stand-in.ts';

const receiver = useReceiver();
const secret = 'whsec_of_the_process';
let folder: string;
let ends: (() => Promise<void>)[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stripe-'));
  ends = [];
});
afterEach(async () => {
  for (const end of ends) await end();
  rmSync(folder, { recursive: true });
});

async function startProcess(...args: string[]) {
  const started = await startStandInProcess(...args);
  ends.push(started.kill);
  return started;
}

const stateFile = () => join(folder, 'state.jsonl');
const payment: Stripe.PaymentIntentCreateParams = {
  amount: 500,
  currency: 'brl',
  allowed_payment_method_types: ['card'],
  payment_method: 'pm_card_visa',
  confirm: true,
};
const pay = (stripe: Stripe, idempotencyKey: string) => stripe.paymentIntents.create(payment, { idempotencyKey });

describe('the stand-in as a process', () => {
  it('continues after a kill with the same objects, keys and held events', async () => {
    const args = ['--state-file', stateFile(), '--account', 'acct_producer'];
    const first = await startProcess(...args);
    const paid = await pay(first.standIn.client(), 'order 1');
    const waiting = await first.standIn.client().paymentIntents.create({
      amount: 500,
      currency: 'brl',
      allowed_payment_method_types: ['pix'],
      payment_method_data: { type: 'pix' },
      confirm: true,
    });
    const held = await first.standIn.heldEvents();
    await first.kill();

    const second = await startProcess(...args);
    const stripe = second.standIn.client();
    const again = await pay(stripe, 'order 1');
    expect(again.id).toBe(paid.id);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await second.standIn.heldEvents()).toEqual(held);
    expect((await second.standIn.payPix(waiting.id)).status).toBe('succeeded');
    expect((await stripe.accounts.retrieve('acct_producer')).id).toBe('acct_producer');
    const charges = await second.standIn.charges();
    expect(charges).toMatchObject([
      { paymentIntent: paid.id, idempotencyKey: 'order 1', status: 'succeeded' },
      { paymentIntent: waiting.id, status: 'succeeded' },
    ]);
    expect(new Set(charges.map(({ id }) => id)).size).toBe(2);
  });

  it('a request that was killed before its effect has no effect, and its key is free', async () => {
    const first = await startProcess('--state-file', stateFile());
    const fault = await first.standIn.addFault({ kind: 'hold_before_effect' });
    const request = failureOf(pay(first.standIn.client(), 'killed'));
    await eventually('the request is held', async () => (await first.standIn.faultStatus(fault)).waiting === 1);
    await first.kill();
    expect((await request).type).toBe('StripeConnectionError');
    const second = await startProcess('--state-file', stateFile());
    expect(await second.standIn.charges()).toEqual([]);
    expect((await pay(second.standIn.client(), 'killed')).status).toBe('succeeded');
  });

  it('a request that was killed after its effect is replayed', async () => {
    const first = await startProcess('--state-file', stateFile());
    const fault = await first.standIn.addFault({ kind: 'hold_after_effect' });
    const request = failureOf(pay(first.standIn.client(), 'killed'));
    await eventually('the request is held', async () => (await first.standIn.faultStatus(fault)).waiting === 1);
    await first.kill();
    await request;
    const second = await startProcess('--state-file', stateFile());
    expect((await pay(second.standIn.client(), 'killed')).lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await second.standIn.charges()).toHaveLength(1);
  });

  it('sends webhooks to the endpoint of its options', async () => {
    const { standIn } = await startProcess('--webhook-url', receiver.url, '--webhook-secret', secret);
    await pay(standIn.client(), 'order 1');
    await standIn.webhooksIdle();
    const events = receiver.received.map(({ body, signature }) => Stripe.webhooks.constructEvent(body, signature, secret));
    expect(events.map(({ type }) => type)).toEqual(['payment_intent.created', 'charge.succeeded', 'payment_intent.succeeded']);
  });

  it('control functions report their errors', async () => {
    const { origin, standIn } = await startProcess();
    await expect(standIn.payPix('pi_nothing')).rejects.toThrow('There is no payment intent pi_nothing.');
    const unknown = await fetch(`${origin}/_control/close`, { method: 'POST', body: '[]' });
    expect(unknown.status).toBe(404);
  });
});

describe('the state file', () => {
  const start = async (options: StandInOptions = {}) => {
    const standIn = await startStandIn({ stateFile: stateFile(), ...options });
    ends.push(() => standIn.close());
    return standIn;
  };

  it('an incomplete last line is removed', async () => {
    const first = await start();
    const { id } = await pay(first.client(), 'order 1');
    appendFileSync(stateFile(), '[{"kind":"payment_intent","entry":{"obj');
    const second = await start();
    expect((await second.client().paymentIntents.retrieve(id)).status).toBe('succeeded');
    await pay(second.client(), 'order 2');
    const third = await start();
    expect(third.charges().map(({ idempotencyKey }) => idempotencyKey)).toEqual(['order 1', 'order 2']);
  });

  it('a request writes its effect and its stored response in one line', async () => {
    const standIn = await start();
    const lines = () => readFileSync(stateFile(), 'utf8').trimEnd().split('\n');
    const before = lines().length;
    await pay(standIn.client(), 'order 1');
    expect(lines()).toHaveLength(before + 1);
    const kinds = (JSON.parse(lines().at(-1) ?? '') as { kind: string }[]).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['charge', 'event', 'payment_intent', 'response']));
  });

  it('a stand-in can have the clock of the test', async () => {
    const noon = new Date('2030-01-01T12:00:00Z');
    const standIn = await start({ clock: () => noon });
    expect((await pay(standIn.client(), 'order 1')).created).toBe(noon.getTime() / 1000);
  });
});
