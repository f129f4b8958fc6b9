import type { Tx } from '../postgres/database.ts';
import type { TaxPolicy } from './calculate.ts';

/** The producer whose policy may apply, and the currency of the prices. */
export interface PricingContext {
  producerId: number;
  currency: string;
}

export async function selectEventPricingContext(tx: Tx, eventId: number): Promise<PricingContext | undefined> {
  return tx.selectFrom('event').select(['producer_id as producerId', 'currency']).where('id', '=', eventId).executeTakeFirst();
}

export async function selectProducerPricingContext(tx: Tx, producerId: number): Promise<PricingContext | undefined> {
  return tx.selectFrom('producer').select(['id as producerId', 'currency']).where('id', '=', producerId).executeTakeFirst();
}

const columns = ['rate_e4 as rate', 'minimum', 'distribution_e4 as distribution'] as const;

export async function selectEventPolicy(tx: Tx, eventId: number): Promise<TaxPolicy | undefined> {
  return tx.selectFrom('event_tax_policy').select(columns).where('event_id', '=', eventId).executeTakeFirst();
}

export async function selectProducerPolicy(tx: Tx, producerId: number): Promise<TaxPolicy | undefined> {
  return tx.selectFrom('producer_tax_policy').select(columns).where('producer_id', '=', producerId).executeTakeFirst();
}

const toRow = ({ rate, minimum, distribution }: TaxPolicy) => ({ rate_e4: rate, minimum, distribution_e4: distribution });

export async function upsertEventPolicy(tx: Tx, eventId: number, policy: TaxPolicy): Promise<void> {
  await tx
    .insertInto('event_tax_policy')
    .values({ event_id: eventId, ...toRow(policy) })
    .onConflict((conflict) => conflict.column('event_id').doUpdateSet(toRow(policy)))
    .execute();
}

export async function upsertProducerPolicy(tx: Tx, producerId: number, policy: TaxPolicy): Promise<void> {
  await tx
    .insertInto('producer_tax_policy')
    .values({ producer_id: producerId, ...toRow(policy) })
    .onConflict((conflict) => conflict.column('producer_id').doUpdateSet(toRow(policy)))
    .execute();
}
