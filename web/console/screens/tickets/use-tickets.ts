import { useRef, useState } from 'preact/hooks';
import { type Client, isProblem } from '../../../../client/src/index.ts';
import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { type Loaded, useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import type { TaxPolicy } from '../../parts/fees.tsx';
import type { Item } from '../../parts/item.ts';
import { errorText } from '../../parts/show.tsx';
import { type ItemChange, stateAfter, stateBefore } from './item-change.ts';
import { orderOf, treeOf } from './tree.ts';

export interface TicketData {
  items: Item[];
  policy: TaxPolicy;
}

export interface Tickets {
  loaded: Loaded<TicketData>;
  /** True until a new order is saved. */
  isOrdering: boolean;
  /** Saves a change of one item. `words` are both values in words, for the question after a conflict. */
  edit(item: Item, change: ItemChange, words: (item: Item) => string): Promise<void>;
  reorder(ids: number[]): Promise<void>;
  duplicate(item: Item): Promise<void>;
  remove(item: Item): Promise<void>;
  setSalable(item: Item, salable: boolean): Promise<void>;
}

/** Everything that the list of tickets can do. Each change is sent at once, and the list is read again. */
export function useTickets(): Tickets {
  const { client, t: frame } = useConsole();
  const t = useMessages<TicketsMessages>();
  const { event } = useEvent();
  const toast = useToast();
  const confirm = useConfirm();
  const loaded = useData<TicketData>(
    async (signal) => {
      const [items, policy] = await Promise.all([itemsOf(client, event.id, signal), client.tax.eventPolicy({ id: event.id }, { signal })]);
      return { items, policy };
    },
    [event.id],
  );
  const { data, set, reload } = loaded;
  const ordering = useRef<Promise<unknown>>(Promise.resolve());
  const latestTurn = useRef(0);
  const [isOrdering, setOrdering] = useState(false);
  const lotsIn = (group: Item) => data?.items.filter(({ parentId }) => parentId === group.id) ?? [];

  /** Runs an action, then reads the list again. If it fails, says why. */
  async function run(action: () => Promise<unknown>): Promise<void> {
    try {
      await action();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
    await reload();
  }

  async function edit(item: Item, change: ItemChange, words: (version: Item) => string): Promise<void> {
    const send = (changes: ItemChange, updatedAt?: string) =>
      client.items.updateMany({ id: event.id, items: [{ id: item.id, ...(updatedAt && { updatedAt }), ...changes }] });
    let before = item;
    try {
      await send(change, item.updatedAt);
    } catch (error) {
      if (!isProblem(error, 'stale_version')) throw error;
      before = await client.items.get({ id: item.id });
      const text = fill(t.stale.text, { mine: words({ ...item, ...stateAfter(item, change) }), theirs: words(before) });
      if (!(await confirm({ title: frame.stale.title, text, action: t.stale.save }))) return reload();
      await send(change, before.updatedAt);
    }
    const back = stateBefore(before, change);
    const undo = Object.keys(back).length > 0 && { action: { label: frame.undo, run: () => run(() => send(back)) } };
    toast(fill(t.changed, { name: item.name }), undo || {});
    await reload();
  }

  async function reorder(ids: number[]): Promise<void> {
    if (!data) return;
    // The rows move at once. A failed request brings the old order back.
    set({ ...data, items: data.items.map((item) => ({ ...item, position: ids.indexOf(item.id) })) });
    // One request after the other, so that the last order wins. It also changes the versions of the items, so they are read again.
    const turn = ++latestTurn.current;
    setOrdering(true);
    const send = async () => {
      await client.items.order({ id: event.id, itemIds: ids });
      if (turn !== latestTurn.current) return;
      const items = await itemsOf(client, event.id);
      if (turn === latestTurn.current) set({ ...data, items });
    };
    const failed = (error: unknown) => {
      toast(errorText(frame, error), { tone: 'bad' });
      return reload();
    };
    ordering.current = ordering.current.then(send).catch(failed);
    await ordering.current;
    if (turn === latestTurn.current) setOrdering(false);
  }

  /** The copy is placed after its original. */
  const duplicate = (item: Item) =>
    run(async () => {
      const copy = await client.items.duplicate({ id: item.id, name: fill(t.copyOf, { name: item.name }) });
      const items = await itemsOf(client, event.id);
      const copied = items.filter(({ id, parentId }) => id === copy.id || parentId === copy.id).map(({ id }) => id);
      const others = orderOf(treeOf(items.filter(({ id }) => !copied.includes(id))));
      const last = [item, ...lotsIn(item)].reduce((place, { id }) => Math.max(place, others.indexOf(id)), 0);
      await client.items.order({ id: event.id, itemIds: others.toSpliced(last + 1, 0, ...copied) });
      toast(fill(t.duplicated, { name: copy.name }));
    });

  /** A group is removed with its lots, lots first, and restored in the opposite order. */
  const remove = (item: Item) =>
    run(async () => {
      const ids = [...lotsIn(item).map(({ id }) => id), item.id];
      for (const id of ids) await client.items.remove({ id });
      const restore = () =>
        run(async () => {
          for (const id of ids.toReversed()) await client.items.restore({ id });
        });
      toast(fill(item.sold > 0 ? t.removedSold : t.removed, { name: item.name, count: item.sold }), {
        action: { label: frame.undo, run: restore },
      });
    });

  const setSalable = (item: Item, salable: boolean) => run(() => client.items.update({ id: item.id, salable }));

  return { loaded, isOrdering, edit, reorder, duplicate, remove, setSalable };
}

async function itemsOf(client: Client, eventId: number, signal?: AbortSignal): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of client.items.listAll({ eventId }, { ...(signal && { signal }) })) items.push(item);
  return items;
}
