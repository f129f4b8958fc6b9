import { sql } from 'kysely';
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

export interface TaxExceptionRow extends TaxPolicy {
  producer_id: number;
  producer_name: string;
  /** 0 for the policy of a producer, so that these come first. */
  event_id: number;
  event_title: string | null;
  currency: string;
}

/** Returns the policies of producers and of events, in the order of the event and the producer. */
export async function selectPolicies(tx: Tx, [eventId, producerId]: readonly [number, number], limit: number): Promise<TaxExceptionRow[]> {
  const { rows } = await sql<TaxExceptionRow>`
    /* all events */ select * from (
      select p.rate_e4 as rate, p.minimum, p.distribution_e4 as distribution, producer.id as producer_id, producer.name as producer_name,
             0::bigint as event_id, null as event_title, producer.currency
        from producer_tax_policy p join producer on producer.id = p.producer_id
      union all
      select p.rate_e4, p.minimum, p.distribution_e4, producer.id, producer.name, event.id, event.title, event.currency
        from event_tax_policy p join event on event.id = p.event_id join producer on producer.id = event.producer_id) as policies
     where (event_id, producer_id) > (${eventId}, ${producerId}) order by event_id, producer_id limit ${limit}`.execute(tx);
  return rows;
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

export async function deleteEventPolicy(tx: Tx, eventId: number): Promise<void> {
  await tx.deleteFrom('event_tax_policy').where('event_id', '=', eventId).execute();
}

export async function deleteProducerPolicy(tx: Tx, producerId: number): Promise<void> {
  await tx.deleteFrom('producer_tax_policy').where('producer_id', '=', producerId).execute();
}
