import { useMemo, useState } from 'preact/hooks';
import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { Field } from '../../../ui/field.tsx';
import { money } from '../../../ui/format.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { newKey } from '../../parts/new-key.ts';
import { errorText, Show } from '../../parts/show.tsx';
import { type Details, type Order, paidBy } from './order-words.tsx';
import type { Ticket } from './tickets-panel.tsx';

interface RefundDialogProps {
  details: Details;
  reload: () => Promise<void>;
  onClose: () => void;
}

/** Shows all tickets that can be refunded. An order can have more tickets than its first page. */
export function RefundDialog({ details, reload, onClose }: RefundDialogProps) {
  const { client } = useConsole();
  const t = useMessages<OrdersMessages>();
  const { order, tickets } = details;
  const all = useData(async () => {
    if (tickets.nextCursor === null) return tickets.data;
    const found: Ticket[] = [];
    for await (const ticket of client.orders.allTickets({ id: order.id })) found.push(ticket);
    return found;
  }, [order.id]);
  return (
    <Dialog title={fill(t.refund.title, { id: order.id })} shape="side" onClose={onClose}>
      <Show of={all}>
        {(found) => (
          <RefundForm order={order} tickets={found.filter(({ status }) => status === 'valid')} reload={reload} onClose={onClose} />
        )}
      </Show>
    </Dialog>
  );
}

function RefundForm({ order, tickets, reload, onClose }: Omit<RefundDialogProps, 'details'> & { order: Order; tickets: Ticket[] }) {
  const { client, t: frame, locale } = useConsole();
  const t = useMessages<OrdersMessages>();
  const toast = useToast();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [includeUsed, setIncludeUsed] = useState(false);
  const [restock, setRestock] = useState(true);
  const [reason, setReason] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  // If the network fails, the same key makes sure that the same choice is refunded once.
  const key = useMemo(newKey, [chosen, includeUsed, restock, reason]);
  const open = tickets.filter(({ used }) => includeUsed || !used);
  const picked = open.filter(({ id }) => chosen.has(id));
  const priceOf = (itemId: number) => order.lines.find((line) => line.itemId === itemId)?.finalPrice ?? 0;
  const cents = picked.reduce((sum, { itemId }) => sum + priceOf(itemId), 0);
  const amount = money(cents, order.currency, locale);
  const toggle = (id: number) =>
    setChosen(chosen.has(id) ? new Set([...chosen].filter((other) => other !== id)) : new Set([...chosen, id]));
  const isAll = picked.length === open.length && open.length > 0;

  const submit = async (event: Event) => {
    event.preventDefault();
    if (picked.length === 0 || isBusy) return;
    setBusy(true);
    setFailure(null);
    try {
      await client.orders.refund(
        {
          id: order.id,
          ticketIds: picked.map(({ id }) => id),
          restock,
          ...(includeUsed && { includeUsed }),
          ...(reason.trim() && { reason: reason.trim() }),
        },
        { idempotencyKey: key },
      );
      toast(plural(locale, t.refund.done, picked.length, { amount }));
      onClose();
      await reload();
    } catch (error) {
      setFailure(errorText(frame, error));
      setBusy(false);
    }
  };
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <fieldset class="orders-refund">
        <legend>{t.refund.choose}</legend>
        {open.length > 1 && (
          <label class="check">
            <input type="checkbox" checked={isAll} onChange={() => setChosen(isAll ? new Set() : new Set(open.map(({ id }) => id)))} />
            <b>{t.refund.all}</b>
          </label>
        )}
        {tickets.map(({ id, itemId, name, used }) => (
          <label key={id} class="check">
            <input
              type="checkbox"
              disabled={used && !includeUsed}
              checked={picked.some((ticket) => ticket.id === id)}
              onChange={() => toggle(id)}
            />
            <span>
              {name} <span class="soft small">{id}</span>
              {used && <span class="pill brand">{t.refund.used}</span>}
            </span>
            <span>{money(priceOf(itemId), order.currency, locale)}</span>
          </label>
        ))}
      </fieldset>
      {tickets.some(({ used }) => used) && (
        <label class="check">
          <input type="checkbox" checked={includeUsed} onChange={() => setIncludeUsed(!includeUsed)} />
          {t.refund.includeUsed}
        </label>
      )}
      <label class="check">
        <input type="checkbox" checked={restock} onChange={() => setRestock(!restock)} />
        {t.refund.restock}
      </label>
      <Field id="refund-reason" label={`${t.refund.reason} ${frame.optional}`} hint={t.refund.reasonHint}>
        {(attributes) => (
          <input class="input" maxLength={200} value={reason} onInput={(event) => setReason(event.currentTarget.value)} {...attributes} />
        )}
      </Field>
      <p>{paidBy(order)?.method === 'cash' ? fill(t.refund.effectCash, { amount }) : t.refund.effect}</p>
      {failure !== null && (
        <Notice tone="bad" alert>
          <p>{failure}</p>
        </Notice>
      )}
      <div class="actions">
        <button type="submit" class="button danger" disabled={picked.length === 0 || isBusy} aria-busy={isBusy}>
          {picked.length === 0 ? t.refund.nothing : plural(locale, t.refund.action, picked.length, { amount })}
        </button>
        <button type="button" class="button plain" onClick={onClose}>
          {frame.cancel}
        </button>
      </div>
    </form>
  );
}
