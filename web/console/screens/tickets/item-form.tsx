import type { ComponentChildren } from 'preact';
import { etagOf } from '../../../../client/src/index.ts';
import { useConsole } from '../../app/console.ts';
import { Form } from '../../parts/form.tsx';
import type { Item } from '../../parts/item.ts';
import type { TicketData } from './use-tickets.ts';

/** What each form of the drawer gets. */
export interface ItemFormProps {
  item: Item;
  data: TicketData;
  version: string | undefined;
  /** Reads the item again, after a conflict. */
  reread: () => Promise<Item>;
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

/** A form of the drawer. Its values are computed from the item, also after a conflict. */
export function ItemForm<V extends object>({ item, version, reread, onSaved, draft, valuesOf, submit, children }: Props<V>) {
  const { t: frame } = useConsole();
  return (
    <Form<V>
      {...(draft && { draft })}
      initial={valuesOf(item)}
      version={version}
      reread={async () => {
        const fresh = await reread();
        return { values: valuesOf(fresh), version: etagOf(fresh) };
      }}
      submit={({ values, changed, version: read }) => submit(values, changed, read ? { ifMatch: read } : {})}
      onDone={onSaved}
      action={frame.save}
    >
      {children}
    </Form>
  );
}
