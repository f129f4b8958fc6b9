import type { Client } from '../../../../client/src/index.ts';
import type { Item } from '../../parts/item.ts';
import { namesIn } from '../../parts/rows.ts';

/** The values of the form. Each row has `<row>.name` and `<row>.quantity`. Rows of saved lots are called `item<id>`. */
export interface TicketValues {
  group: string;
  rows: string;
  /** `soldout`: the next lot opens when the one before is sold out. `together`: all lots are on sale at once. */
  opens: string;
  [field: string]: unknown;
}

interface Context {
  client: Client;
  eventId: number;
  saved: readonly Item[];
  /** The ids of what was created, by the names of the rows. A second attempt after a failed request continues with them. */
  created: Map<string, number>;
}

/** Saves the group and its lots: creates new rows, changes others, and removes lots whose row is gone. */
export async function saveTickets(context: Context, values: TicketValues): Promise<void> {
  const { client, eventId, saved, created } = context;
  const rows = namesIn(values.rows);
  const isSequence = values.opens === 'soldout';
  const savedGroup = saved.find(({ type }) => type === 'group');
  const idOf = (row: string) => created.get(row) ?? saved.find(({ id }) => `item${id}` === row)?.id;

  const groupId = savedGroup?.id ?? created.get('group') ?? (await client.items.create({ eventId, name: values.group, type: 'group' })).id;
  created.set('group', groupId);
  if (savedGroup && savedGroup.name !== values.group) await client.items.update({ id: groupId, name: values.group });

  for (const [index, row] of rows.entries()) {
    const lot = {
      name: String(values[`${row}.name`]),
      quantity: Number(values[`${row}.quantity`]),
      position: index + 1,
      salable: index === 0 || !isSequence,
    };
    const id = idOf(row);
    if (id === undefined) created.set(row, (await client.items.create({ eventId, parentId: groupId, ...lot })).id);
    else await client.items.update({ id, ...lot });
  }
  const gone = saved.filter(({ id, type }) => type !== 'group' && !rows.includes(`item${id}`));
  for (const { id } of gone) await client.items.remove({ id });

  const ids = rows.map((row) => idOf(row) ?? 0);
  for (const [index, id] of ids.entries()) {
    const next = ids[index + 1];
    const triggers = isSequence && next !== undefined ? [{ on: 'soldout', action: 'open', targetItemId: next } as const] : [];
    await client.items.triggers.replace({ id, triggers });
  }
}
