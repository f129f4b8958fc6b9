import type Stripe from 'stripe';
import { putAccount } from './accounts.ts';
import type { Api, RequestRecord } from './api.ts';
import {
  type BuyerConfirmation,
  completeAuthentication,
  confirmAsBuyer,
  expireDueVouchers,
  expireVoucher,
  failAuthentication,
  outside,
  payVoucher,
  startProcessing,
} from './buyer.ts';
import { closeDispute, openDispute } from './disputes.ts';
import type { Fault, FaultStatus, Faults } from './faults.ts';
import { failRefund, settleRefund, transferredAmount } from './refunds.ts';
import type { RefundStatus, State } from './state.ts';
import { idOf, type Kind, type StoredEvent } from './store.ts';
import type { DeliverOptions, Delivery, Endpoint, Webhooks } from './webhooks.ts';

/** A charge as the checker of double charges needs it. `idempotencyKey` is the key of the request that confirmed the payment. */
interface LedgerCharge {
  id: string;
  paymentIntent: string;
  account: string | null;
  status: string;
  amount: number;
  amountRefunded: number;
  currency: string;
  metadata: Record<string, string>;
  idempotencyKey: string | null;
  destination: string | null;
  applicationFee: number;
  applicationFeeRefunded: number;
  transferred: number;
  transferReversed: number;
}

/** A payment as the buyer sees it. */
interface LedgerIntent {
  id: string;
  status: string;
  /** Whether a buyer can pay it now. */
  isPayable: boolean;
  metadata: Record<string, string>;
}

interface LedgerRefund {
  id: string;
  paymentIntent: string;
  status: string;
  amount: number;
  metadata: Record<string, string>;
}

export type Control = ReturnType<typeof createControl>;

/** The functions of the test: the buyer's side, faults, webhooks and the ledger. Arguments and results are plain JSON. */
export function createControl(state: State, api: Api, faults: Faults, webhooks: Webhooks) {
  const flushed = <T>(change: () => T): T => {
    try {
      return change();
    } finally {
      state.store.flush();
    }
  };
  return {
    // The buyer's side.
    confirm: (intent: string, how: BuyerConfirmation) => flushed(() => confirmAsBuyer(state, intent, how)),
    completeAuthentication: (intent: string) => flushed(() => completeAuthentication(state, intent)),
    failAuthentication: (intent: string) => flushed(() => failAuthentication(state, intent)),
    payPix: (intent: string) => flushed(() => payVoucher(state, intent, 'pix')),
    expirePix: (intent: string) => flushed(() => expireVoucher(state, intent, 'pix')),
    payBoleto: (intent: string) => flushed(() => payVoucher(state, intent, 'boleto')),
    expireBoleto: (intent: string) => flushed(() => expireVoucher(state, intent, 'boleto')),
    startProcessing: (intent: string) => flushed(() => startProcessing(state, intent)),
    // What banks and Stripe do later.
    openDispute: (charge: string, reason: string, amount?: number) =>
      flushed(() => openDispute(state, charge, reason, amount, ownerOf(state, 'charge', charge))),
    closeDispute: (id: string, outcome: 'lost' | 'won') => flushed(() => closeDispute(state, id, outcome, ownerOf(state, 'dispute', id))),
    settleRefund: (id: string) => flushed(() => settleRefund(state, id, ownerOf(state, 'refund', id))),
    failRefund: (id: string, reason = 'expired_or_canceled_card') =>
      flushed(() => failRefund(state, id, reason, ownerOf(state, 'refund', id))),
    /** The next refunds get these statuses. */
    setNextRefundStatuses: (...statuses: RefundStatus[]): void => void state.nextRefundStatuses.push(...statuses),
    putAccount: (id: string, changes: Partial<Stripe.Account> = {}) => flushed(() => putAccount(state, id, changes)),
    /** Moves the clock of the stand-in. PIX codes and boletos whose time has passed expire. */
    advanceClock: (seconds: number): void =>
      flushed(() => {
        state.advanceClock(seconds);
        expireDueVouchers(state);
      }),
    // Faults.
    addFault: (fault: Fault): number => faults.add(fault),
    faultStatus: (id: number): FaultStatus => faults.status(id),
    releaseFault: (id: number): void => faults.release(id),
    clearFaults: (): void => faults.clear(),
    // Webhooks.
    setEndpoint: (endpoint: Endpoint): void => webhooks.setEndpoint(endpoint),
    heldEvents: (): StoredEvent[] => webhooks.held(),
    deliver: (options: DeliverOptions = {}): Promise<Delivery[]> => webhooks.deliver(options),
    deliveries: (): Delivery[] => webhooks.log,
    /** Resolves when all deliveries that were started at once have ended. */
    webhooksIdle: (): Promise<void> => webhooks.idle(),
    // The ledger of effects.
    charges: (): LedgerCharge[] => ledgerOf(state),
    /** All payments, or those of one order of the service. */
    intents: (order?: string): LedgerIntent[] => intentsOf(state, order),
    refunds: (): LedgerRefund[] => refundsOf(state),
    requests: (): RequestRecord[] => api.log,
  };
}

const ownerOf = (state: State, kind: Kind, id: string) => outside(state.store.find(kind, id)?.owner ?? null);

function ledgerOf(state: State): LedgerCharge[] {
  return state.store.all('charge').map(({ object: charge, facts, owner }) => ({
    id: charge.id,
    paymentIntent: idOf(charge.payment_intent) ?? '',
    account: owner,
    status: charge.status,
    amount: charge.amount,
    amountRefunded: charge.amount_refunded,
    currency: charge.currency,
    metadata: charge.metadata,
    idempotencyKey: facts.idempotencyKey,
    destination: idOf(charge.transfer_data?.destination),
    applicationFee: charge.application_fee ? (charge.application_fee_amount ?? 0) : 0,
    applicationFeeRefunded: facts.applicationFeeRefunded,
    transferred: transferredAmount(charge),
    transferReversed: facts.transferReversed,
  }));
}

const payable = ['requires_action', 'requires_confirmation', 'requires_payment_method'];

const intentsOf = (state: State, order: string | undefined): LedgerIntent[] =>
  state.store
    .all('payment_intent')
    .filter(({ object }) => order === undefined || object.metadata.order === order)
    .map(({ object: { id, status, metadata } }) => ({ id, status, isPayable: payable.includes(status), metadata }));

const refundsOf = (state: State): LedgerRefund[] =>
  state.store.all('refund').map(({ object: { id, payment_intent: intent, status, amount, metadata } }) => ({
    id,
    paymentIntent: idOf(intent) ?? '',
    status: String(status),
    amount,
    metadata: metadata ?? {},
  }));
