import { toProfile } from '../accounts/producers.ts';
import { decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { Problem } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import { type ProducerProfile, type ShortEvent, shortEventFields } from './contract.ts';
import { describeEvents } from './event.ts';
import { countProducerEvents, selectProducerEvents, selectPublicProducer } from './producer.sql.ts';

export async function getProducerProfile(tx: Tx, id: number): Promise<ProducerProfile> {
  const row = await selectPublicProducer(tx, id);
  if (!row) throw new Problem('not_found');
  return toProfile(row);
}

export async function listProducerEvents(tx: Tx, at: Date, id: number, query: PageQuery): Promise<Page<ShortEvent>> {
  await getProducerProfile(tx, id);
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor, ['time', 'number']);
  const rows = await selectProducerEvents(tx, id, at, after, rowsToFetch(query));
  const total = query.count ? await countProducerEvents(tx, id, at) : undefined;
  const page = toPage(
    rows,
    query,
    (row) => [row.starts_at.getTime(), row.id],
    (row) => row.id,
    total,
  );
  return { ...page, data: (await describeEvents(tx, page.data, at, new Set(shortEventFields))) as ShortEvent[] };
}
