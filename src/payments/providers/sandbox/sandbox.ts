import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '../../../postgres/database.ts';
import { inTransaction } from '../../../postgres/transaction.ts';
import { type NoticeBody, signatureHeader } from '../../contract.ts';
import {
  InvalidNotice,
  type PaymentProvider,
  type PaymentToStart,
  type ProviderNotice,
  type ProviderPayment,
  type ProviderRefund,
  ProviderRefusal,
  type RefundToStart,
} from '../port.ts';
import { pixCodeOf } from './pix-code.ts';
import {
  addReturned,
  type ChargeRow,
  cancelCharge,
  insertCharge,
  insertSandboxRefund,
  selectCharge,
  selectSandboxRefund,
  selectSandboxSecret,
  selectSettledSince,
} from './sandbox.sql.ts';
import { type ChargeEvent, eventsOf, paysAt } from './simulated-buyer.ts';

/** A provider with simulated buyers and test money. Its records are in the same database, but only its own transactions write them. */
export async function createSandbox(db: Database, clock: () => Date): Promise<PaymentProvider> {
  const secret = await selectSandboxSecret(db);
  return {
    name: 'sandbox',
    methods: [{ method: 'pix', currencies: null, action: 'display' }],
    payoutAccount: null,
    start: (payment) => startCharge(db, payment, clock()),
    find: async ({ reference }) => stateOf(await selectCharge(db, reference)),
    cancel: ({ reference }) => cancel(db, reference, clock()),
    refund: (refund) => refundCharge(db, refund, clock()),
    findRefund: async ({ reference, paymentProviderId }) => {
      const found = await selectSandboxRefund(db, reference);
      return found && doneRefund({ reference, paymentProviderId, amount: found.amount });
    },
    readNotice: (raw, headers) => readNotice(secret, raw, headers[signatureHeader.toLowerCase()] ?? ''),
    changesSince: (since) => changesSince(db, since),
  };
}

async function startCharge(db: Database, payment: PaymentToStart, at: Date): Promise<ProviderPayment> {
  const { reference, amount, expiresAt, outcome = 'approve' } = payment;
  const charge = await inTransaction(db, {}, async (tx) => {
    await insertCharge(tx, { reference, amount, outcome, acts_at: paysAt(outcome, at, expiresAt), created_at: at });
    return selectCharge(tx, reference);
  });
  return knownState(charge, reference);
}

async function cancel(db: Database, reference: string, at: Date): Promise<ProviderPayment> {
  const charge = await inTransaction(db, {}, async (tx) => {
    await cancelCharge(tx, reference, at);
    return selectCharge(tx, reference);
  });
  return knownState(charge, reference);
}

function knownState(charge: ChargeRow | null, reference: string): ProviderPayment {
  const state = stateOf(charge);
  if (!state) throw new ProviderRefusal(`The sandbox has no payment ${reference}.`);
  return state;
}

const stateOf = (charge: ChargeRow | null): ProviderPayment | null =>
  charge && paymentOf(charge.reference, charge.amount, charge.status, charge.paid);

/** The sandbox charges no fees. */
const paymentOf = (reference: string, amount: number, status: ProviderPayment['status'], received: number): ProviderPayment => ({
  reference,
  providerId: reference,
  status,
  amount,
  received: status === 'paid' ? received : 0,
  fee: status === 'paid' ? 0 : null,
  action: status === 'open' ? { type: 'display', code: pixCodeOf({ reference, amount }), imageUrl: null } : null,
  failure: status === 'failed' ? 'The payment was not made.' : null,
});

async function refundCharge(db: Database, { reference, paymentProviderId, amount }: RefundToStart, at: Date): Promise<ProviderRefund> {
  await inTransaction(db, {}, async (tx) => {
    const isNew = await insertSandboxRefund(tx, { reference, charge: paymentProviderId, amount, at });
    if (isNew) await addReturned(tx, paymentProviderId, amount);
  });
  return doneRefund({ reference, paymentProviderId, amount });
}

const doneRefund = (refund: Pick<ProviderRefund, 'reference' | 'paymentProviderId' | 'amount'>): ProviderRefund => ({
  ...refund,
  providerId: refund.reference ?? '',
  status: 'done',
  failure: null,
});

export const signatureOf = (secret: string, text: string | Buffer): string => createHmac('sha256', secret).update(text).digest('hex');

/** The edge has checked the form of the body. */
function readNotice(secret: string, raw: Buffer, signature: string): ProviderNotice {
  const [expected, given] = [Buffer.from(signatureOf(secret, raw)), Buffer.from(signature)];
  if (expected.length !== given.length || !timingSafeEqual(expected, given))
    throw new InvalidNotice('The signature of the notice is wrong.');
  const { id, reference, event, amount } = JSON.parse(raw.toString('utf8')) as NoticeBody;
  return event === 'paid' || event === 'failed'
    ? noticeOf(reference, { id, event, amount })
    : { id, type: event, account: null, about: 'nothing' };
}

export const noticeOf = (reference: string, { id, event, amount }: ChargeEvent): ProviderNotice => ({
  id,
  type: event,
  account: null,
  about: 'payment',
  payment: paymentOf(reference, amount, event, amount),
});

/** The ids are those of the notices that the sandbox has sent, or should have sent. */
async function* changesSince(db: Database, since: Date): AsyncGenerator<ProviderNotice> {
  for (const { reference, amount, status, paid, outcome } of await selectSettledSince(db, since)) {
    if (status === 'open') continue;
    const sent = eventsOf({ reference, amount, outcome }).find(({ event }) => event === status);
    yield noticeOf(reference, { id: sent?.id ?? `${reference}-${status}`, event: status, amount: status === 'paid' ? paid : amount });
  }
}
