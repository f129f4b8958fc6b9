import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { AnswerOf, InputOf } from '../../../../client/src/index.ts';
import { isProblem } from '../../../../client/src/index.ts';
import { useConsole } from '../../app/console.ts';
import { newKey } from '../../parts/new-key.ts';

type SoldTicket = AnswerOf<'getOrderTickets'>['data'][number];

/** A sale that the service may or may not have stored. It is kept in the browser until the service has answered. */
export interface Sale {
  userId: number;
  /** The same keys are sent with every attempt, so that the service stores the order and its payment once. */
  orderKey: string;
  paymentKey: string;
  order: InputOf<'createOrder'>;
  total: number;
  /** The cash that the customer gave, in cents. */
  received: number | null;
}

export interface Sold {
  sale: Sale;
  orderId: number;
  tickets: SoldTicket[];
}

export type SaleState =
  | { kind: 'choosing'; error: unknown }
  | { kind: 'sending'; sale: Sale }
  | { kind: 'waiting'; sale: Sale }
  | { kind: 'sold'; sold: Sold };

const retryMs = 5_000;
const keyOf = (eventId: number): string => `tessera-sale ${eventId}`;

/** The sale that was interrupted in this browser, for example by a reload. Sales of another user are left alone. */
function storedSale(eventId: number, userId: number): Sale | null {
  try {
    const sale = JSON.parse(localStorage.getItem(keyOf(eventId)) ?? 'null') as Sale | null;
    return sale?.userId === userId ? sale : null;
  } catch {
    return null;
  }
}

/** The service has decided. Everything else, such as no answer, may be sent again. */
const isFinal = (error: unknown): boolean => isProblem(error) && error.status < 500 && ![401, 408, 429].includes(error.status);

/** Sells for cash. A sale that gets no answer is sent again with the same keys until it gets one. */
export function useSale(eventId: number) {
  const { client, me } = useConsole();
  const userId = me?.id ?? 0;
  const [state, setState] = useState<SaleState>({ kind: 'choosing', error: null });
  const isShown = useRef(true);

  const send = useCallback(
    async (sale: Sale) => {
      const settle = (next: SaleState) => {
        if (next.kind !== 'waiting') localStorage.removeItem(keyOf(eventId));
        if (isShown.current) setState(next);
      };
      localStorage.setItem(keyOf(eventId), JSON.stringify(sale));
      setState({ kind: 'sending', sale });
      try {
        const { id, status } = await client.orders.create(sale.order, { idempotencyKey: sale.orderKey, timeoutMs: 10_000 });
        if (status === 'held') await client.orders.pay({ id, method: 'cash' }, { idempotencyKey: sale.paymentKey, timeoutMs: 10_000 });
        const tickets: SoldTicket[] = [];
        for await (const ticket of client.orders.allTickets({ id })) tickets.push(ticket);
        settle({ kind: 'sold', sold: { sale, orderId: id, tickets } });
      } catch (error) {
        settle(isFinal(error) ? { kind: 'choosing', error } : { kind: 'waiting', sale });
      }
    },
    [client, eventId],
  );

  useEffect(() => {
    const interrupted = storedSale(eventId, userId);
    if (interrupted) void send(interrupted);
    return () => {
      isShown.current = false;
    };
  }, []);

  useEffect(() => {
    if (state.kind !== 'waiting') return undefined;
    const again = () => void send(state.sale);
    const timer = setTimeout(again, retryMs);
    addEventListener('online', again);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', again);
    };
  }, [state, send]);

  return {
    state,
    sell: (sale: Pick<Sale, 'order' | 'total' | 'received'>) => send({ ...sale, userId, orderKey: newKey(), paymentKey: newKey() }),
    retry: () => state.kind === 'waiting' && void send(state.sale),
    /** Forgets a sale that got no answer. */
    abandon: () => {
      localStorage.removeItem(keyOf(eventId));
      setState({ kind: 'choosing', error: null });
    },
    next: () => setState({ kind: 'choosing', error: null }),
  };
}
