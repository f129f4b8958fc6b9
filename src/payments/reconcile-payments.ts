import type { Act } from '../kernel/act.ts';
import type { Database } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Providers } from './providers/open-providers.ts';
import type { PaymentProvider, ProviderNotice } from './providers/port.ts';
import { storeNotices } from './receive-notices.ts';

const batchSize = 100;

/** A change in the provider's list whose notice had not arrived. */
export interface Missed {
  provider: string;
  noticeId: string;
  type: string;
}

/**
 * Reads the lists of the providers, and stores every change whose notice has not arrived. It is then applied like a notice. If the notice
 * itself arrives later, it is ignored. Returns what was missing.
 */
export async function reconcilePayments(
  db: Database,
  { at }: Act,
  { byName }: Providers,
  since: Date,
  signal: AbortSignal,
): Promise<Missed[]> {
  const missed: Missed[] = [];
  for (const provider of byName.values()) missed.push(...(await reconcile(db, at, provider, since, signal)));
  return missed;
}

async function reconcile(db: Database, at: Date, provider: PaymentProvider, since: Date, signal: AbortSignal): Promise<Missed[]> {
  const missed: Missed[] = [];
  let batch: ProviderNotice[] = [];
  const store = async () => {
    const sent = batch.map((notice) => ({ notice, raw: JSON.stringify(notice) }));
    const fresh = new Set(await inTransaction(db, {}, (tx) => storeNotices(tx, at, provider.name, sent)));
    missed.push(...batch.filter(({ id }) => fresh.has(id)).map(({ id, type }) => ({ provider: provider.name, noticeId: id, type })));
    batch = [];
  };
  for await (const notice of provider.changesSince(since, signal)) {
    batch.push(notice);
    if (batch.length === batchSize) await store();
  }
  if (batch.length > 0) await store();
  return missed;
}
