import { findEventsOf } from '../events/event-of.ts';
import { type Capability, capability, type Handlers } from '../http/capability.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { markTestMoney } from '../orders/order.ts';
import { readOrder } from '../orders/order-access.ts';
import type { Order } from '../orders/order-schemas.ts';
import type { Database } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { completePayment } from './complete-payment.ts';
import { paymentsContract } from './contract.ts';
import { listRefunds } from './list-refunds.ts';
import { type PaymentRules, payOrders } from './pay-orders.ts';
import { listPaymentMethods } from './payment-methods.ts';
import { deletePayout, setPayout } from './payouts.ts';
import { getSandbox, receiveNotice, receiveSandboxNotice } from './receive-notices.ts';
import { retryRefund, settleRefund } from './retry-refund.ts';

export interface PaymentsSetup extends PaymentRules {
  /** Whether the payment sandbox is on. */
  testMoney: boolean;
  clock: () => Date;
}

/** When the sandbox is off, its operations return 404. */
export function payments(setup: PaymentsSetup): Capability {
  const { receiveSandboxNotice: _notice, getSandbox: _sandbox, ...others } = paymentsContract;
  const all = capability(paymentsContract, handlersOf(setup));
  return setup.testMoney ? all : { ...all, contract: others };
}

function handlersOf(setup: PaymentsSetup): Handlers<typeof paymentsContract> {
  const { mark, markAll } = markTestMoney(setup.testMoney);
  const { byName } = setup.providers;
  return {
    listPaymentMethods: (tx, act, { query }) => listPaymentMethods(tx, act, setup.providers, query.eventId),
    payOrder: {
      batchKey: ({ params }) => params.id,
      findBatchKeys: (db, ids) => findEventsOf(db, 'ticket_order', ids),
      run: async (tx, requests) => {
        const paid = requests.map(({ act, eventId, input: { params, query, body } }) => ({
          act,
          eventId,
          id: params.id,
          secret: query.secret,
          body,
        }));
        return markAll(await payOrders(tx, paid, setup));
      },
      complete: async (db, { act, answer, input }) => {
        const open = answer.payments.findLast(
          ({ method, status }) => method === input.body.method && (status === 'begun' || status === 'pending'),
        );
        if (!open || open.reference === null) return null;
        const { eventId, id } = answer;
        await completePayment(db, act, { eventId, reference: open.reference }, setup);
        const after = await afterPayment(db, { ...act, at: setup.clock() }, { eventId, id, reference: open.reference });
        return after instanceof Problem ? after : mark(after);
      },
    },
    setPayout: (tx, act, { params, body }) => setPayout(tx, act, setup.providers, params.id, body),
    deletePayout: (tx, act, { params }) => deletePayout(tx, act, params.id),
    receiveSandboxNotice: (tx, act, { body, signed }) => receiveSandboxNotice(tx, act, byName.get('sandbox'), { body, signed }),
    receiveNotice: (tx, act, { params, signed }) => receiveNotice(tx, act, byName.get(params.provider), signed),
    listRefunds: (tx, _act, { params, query }) => listRefunds(tx, params.eventId, query),
    retryRefund: (tx, act, { params }) => retryRefund(tx, act, params),
    settleRefund: (tx, act, { params, body }) => settleRefund(tx, act, params, body.note),
    getSandbox: (tx) => getSandbox(tx),
  };
}

/** The order as it is after the call to the provider. If the payment was declined, a problem says why. */
async function afterPayment(
  db: Database,
  act: Act,
  { eventId, id, reference }: { eventId: number; id: number; reference: string },
): Promise<Order | Problem> {
  const order = await inTransaction(db, { readOnly: true }, (tx) => readOrder(tx, act, { eventId, id }));
  const payment = order.payments.find((each) => each.reference === reference);
  if (payment?.status !== 'declined') return order;
  const advice = order.status === 'held' ? ` The order is held until ${order.expiresAt}. Try again or use another payment method.` : '';
  return new Problem('payment_declined', `${payment.failure ?? 'The payment was declined.'} Nothing was charged.${advice}`);
}
