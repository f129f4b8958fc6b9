import { createItem } from '../catalog/create-item.ts';
import { lockEvent } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Import, ImportQuery } from './contract.ts';
import { describeFault } from './faults.ts';
import type { ReceivedCodes } from './receive-codes.ts';
import {
  analyzeRefs,
  createItemRefs,
  createSessionRefs,
  dropUpload,
  insertItemRefs,
  insertUpload,
  selectClashes,
  selectDoubles,
  selectFaults,
  selectItemCounts,
  selectUnknownItems,
  updateItemRef,
} from './upload.sql.ts';

/** Of the rows that cannot be imported the answer shows so many. */
const mostShown = 100;
/** A file with more names that the event does not have is more likely a mistake. */
const mostNewItems = 100;

/** All codes that were received, or none. Imports into one event come one after the other, so that what was checked still holds. */
export async function importCodes(tx: Tx, act: Act, eventId: number, query: ImportQuery, received: ReceivedCodes): Promise<Import> {
  await lockEvent(tx, eventId);
  await createItemRefs(tx, eventId, received.itemBy);
  await createSessionRefs(tx, eventId);
  const newItems = query.createItems && received.itemBy === 'name' ? await takeNewItems(tx) : [];
  await analyzeRefs(tx);
  await requireFaultless(tx);
  await requireUnknown(tx, eventId);
  if (!query.dryRun) await store(tx, act, eventId, newItems);
  const items = await selectItemCounts(tx);
  const result = { imported: received.rows, items: items.map(({ item_id, ...rest }) => ({ itemId: item_id, ...rest })) };
  if (!query.dryRun) await record(tx, act, { subject: 'codes', id: eventId, eventId, after: result });
  await dropUpload(tx);
  return result;
}

/** The names to make items of; with too many of them none is made, and their rows are faults. */
async function takeNewItems(tx: Tx): Promise<string[]> {
  const names = await selectUnknownItems(tx, mostNewItems + 1);
  if (names.length > mostNewItems) return [];
  if (names.length > 0) await insertItemRefs(tx, names);
  return names;
}

async function requireFaultless(tx: Tx): Promise<void> {
  const faults = await selectFaults(tx, mostShown);
  // A file that fills the report with other faults need not be searched for codes that stand twice.
  const doubles = faults.length < mostShown ? await selectDoubles(tx, mostShown) : [];
  const total = (faults[0]?.total ?? 0) + (doubles[0]?.total ?? 0);
  if (total === 0) return;
  const rows = [...faults, ...doubles]
    .toSorted((a, b) => a.line - b.line)
    .slice(0, mostShown)
    .map(describeFault);
  throw new Problem(
    'codes_rejected',
    `Nothing was imported: the file has ${total === 1 ? 'a fault' : `${total} faults, the first`} in line ${rows[0]?.line}`,
    {
      extra: { total, rows },
    },
  );
}

async function requireUnknown(tx: Tx, eventId: number): Promise<void> {
  const clashes = await selectClashes(tx, eventId, mostShown);
  const [first] = clashes;
  if (!first) return;
  const rows = clashes.map(({ line, code }) => ({
    line,
    field: 'code',
    code: 'exists',
    message: `The event has the code ${code} already`,
  }));
  throw new Problem('already_exists', `Nothing was imported: the event has ${first.total} of the codes already`, {
    extra: { total: first.total, rows },
  });
}

async function store(tx: Tx, act: Act, eventId: number, newItems: readonly string[]): Promise<void> {
  for (const name of newItems) {
    const { id } = await createItem(tx, act, { eventId, name, type: 'external' });
    await updateItemRef(tx, name, id);
  }
  await insertUpload(tx, eventId, act.at);
}
