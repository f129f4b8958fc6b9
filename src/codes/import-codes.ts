import { createItem } from '../catalog/create-item.ts';
import { lockEvent } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Import, ImportQuery } from './contract.ts';
import type { ReceivedCodes } from './receive-codes.ts';
import { describeRowError } from './row-errors.ts';
import {
  analyzeRefs,
  createItemRefs,
  createSessionRefs,
  dropUpload,
  insertItemRefs,
  insertUpload,
  selectDuplicates,
  selectExistingCodes,
  selectItemCounts,
  selectRowErrors,
  selectUnknownItems,
  updateItemRef,
} from './upload.sql.ts';

/** The maximum number of rows with errors in a response. */
const maxRowsShown = 100;
/** The maximum number of items that one import creates. A file with more unknown names is probably wrong. */
const maxNewItems = 100;

/** Imports all received codes or none. Locks the event, so that a concurrent import cannot invalidate the checks. */
export async function importCodes(tx: Tx, act: Act, eventId: number, query: ImportQuery, received: ReceivedCodes): Promise<Import> {
  await lockEvent(tx, eventId);
  await createItemRefs(tx, eventId, received.itemBy);
  await createSessionRefs(tx, eventId);
  const newItems = query.createItems && received.itemBy === 'name' ? await allowNewItems(tx) : [];
  await analyzeRefs(tx);
  await requireNoErrors(tx);
  await requireNewCodes(tx, eventId);
  if (!query.dryRun) await store(tx, act, eventId, newItems);
  const items = await selectItemCounts(tx);
  const result = { imported: received.rows, items: items.map(({ item_id, ...rest }) => ({ itemId: item_id, ...rest })) };
  if (!query.dryRun) await record(tx, act, { subject: 'codes', id: eventId, eventId, after: result });
  await dropUpload(tx);
  return result;
}

/** Returns the names of the items to create. If there are too many, no item is created and the rows with unknown names are errors. */
async function allowNewItems(tx: Tx): Promise<string[]> {
  const names = await selectUnknownItems(tx, maxNewItems + 1);
  if (names.length > maxNewItems) return [];
  if (names.length > 0) await insertItemRefs(tx, names);
  return names;
}

async function requireNoErrors(tx: Tx): Promise<void> {
  const errors = await selectRowErrors(tx, maxRowsShown);
  // If the response is already full, the search for duplicates is skipped, because it reads the whole table.
  const duplicates = errors.length < maxRowsShown ? await selectDuplicates(tx, maxRowsShown) : [];
  const total = (errors[0]?.total ?? 0) + (duplicates[0]?.total ?? 0);
  if (total === 0) return;
  const rows = [...errors, ...duplicates]
    .toSorted((a, b) => a.line - b.line)
    .slice(0, maxRowsShown)
    .map(describeRowError);
  throw new Problem(
    'codes_rejected',
    `Nothing was imported. The file has ${total === 1 ? 'an error' : `${total} errors, the first`} in line ${rows[0]?.line}. Correct the rows and send the file again.`,
    {
      extra: { total, rows },
    },
  );
}

async function requireNewCodes(tx: Tx, eventId: number): Promise<void> {
  const existing = await selectExistingCodes(tx, eventId, maxRowsShown);
  const [first] = existing;
  if (!first) return;
  const rows = existing.map(({ line, code }) => ({
    line,
    field: 'code',
    code: 'exists',
    message: `The event already has the code ${code}.`,
  }));
  throw new Problem(
    'already_exists',
    `Nothing was imported. The event already has ${first.total} of the codes. Remove them from the file and send it again.`,
    {
      extra: { total: first.total, rows },
    },
  );
}

async function store(tx: Tx, act: Act, eventId: number, newItems: readonly string[]): Promise<void> {
  for (const name of newItems) {
    const { id } = await createItem(tx, act, { eventId, name, type: 'external' });
    await updateItemRef(tx, name, id);
  }
  await insertUpload(tx, eventId, act.at);
}
