import type { ComponentChildren } from 'preact';
import { etagOf } from '../../../../client/src/index.ts';
import { useConsole } from '../../app/console.ts';
import { Form } from '../../parts/form.tsx';
import { StaleVersion } from '../../parts/form-state.ts';
import type { Item } from '../../parts/item.ts';
import type { TicketData } from './use-tickets.ts';

/** What each form of the drawer gets. */
export interface ItemFormProps {
  /** The item of the list. */
  item: Item;
  data: TicketData;
  onSaved: () => void;
}

/** For the write that checks the version of the item. */
export interface WriteOptions {
  ifMatch?: string;
}

interface Props<V> extends Omit<ItemFormProps, 'data'> {
  /** The name of the draft. Without it, what was typed is not kept after a reload. */
  draft?: string;
  valuesOf: (item: Item) => V;
  submit: (values: V, changed: Partial<V>, options: WriteOptions) => Promise<void>;
  children: ComponentChildren;
}

/**
 * A form of the drawer. Its values are computed from the item, also after a conflict. The list has no versions for `If-Match`, so the item is read
 * before it is written, and its time of change is compared.
 */
export function ItemForm<V extends object>({ item, onSaved, draft, valuesOf, submit, children }: Props<V>) {
  const { client, t: frame } = useConsole();
  const read = () => client.items.get({ id: item.id });
  const save = async (values: V, changed: Partial<V>, updatedAt: string | undefined) => {
    const saved = await read();
    if (saved.updatedAt !== updatedAt) throw new StaleVersion();
    const version = etagOf(saved);
    await submit(values, changed, version ? { ifMatch: version } : {});
  };
  return (
    <Form<V>
      {...(draft && { draft })}
      initial={valuesOf(item)}
      version={item.updatedAt}
      reread={async () => {
        const fresh = await read();
        return { values: valuesOf(fresh), version: fresh.updatedAt };
      }}
      submit={({ values, changed, version }) => save(values, changed, version)}
      onDone={onSaved}
      action={frame.save}
    >
      {children}
    </Form>
  );
}
