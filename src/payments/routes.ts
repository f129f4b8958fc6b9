import type { PaymentProvider } from '../config.ts';
import { findEventsOf } from '../events/event-of.ts';
import { type Capability, capability, type Handlers } from '../http/capability.ts';
import { markTestMoney } from '../orders/order.ts';
import { paymentsContract } from './contract.ts';
import { payOrders } from './pay-orders.ts';
import { paymentMethods } from './providers/payment-methods.ts';
import { getSandbox, receiveSandboxNotice } from './receive-notices.ts';

type Providers = ReadonlySet<PaymentProvider>;

/** When the sandbox is off, its operations return 404. */
export function payments(providers: Providers): Capability {
  const { receiveSandboxNotice: _notice, getSandbox: _sandbox, ...others } = paymentsContract;
  const all = capability(paymentsContract, handlersOf(providers));
  return providers.has('sandbox') ? all : { ...all, contract: others };
}

function handlersOf(providers: Providers): Handlers<typeof paymentsContract> {
  const { markAll } = markTestMoney(providers.has('sandbox'));
  const methods = paymentMethods(providers);
  return {
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
        return markAll(await payOrders(tx, paid, methods));
      },
    },
    receiveSandboxNotice: (tx, act, { body, signed }) => receiveSandboxNotice(tx, act, { body, signed }),
    getSandbox: (tx) => getSandbox(tx),
  };
}
