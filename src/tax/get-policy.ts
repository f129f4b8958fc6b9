import { decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { Problem } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import { defaultPolicy, type TaxPolicy } from './calculate.ts';
import type { AppliedTaxPolicy, TaxException, TaxPolicyBody } from './contract.ts';
import { fromPercentE4 } from './percent.ts';
import {
  selectEventPolicy,
  selectEventPricingContext,
  selectPolicies,
  selectProducerPolicy,
  selectProducerPricingContext,
  type TaxExceptionRow,
} from './policies.sql.ts';

interface FoundPolicy {
  source: AppliedTaxPolicy['source'];
  policy: TaxPolicy;
}

/** Returns the policy of the event, else of the producer, else of the platform. */
export async function findPolicy(tx: Tx, eventId: number | undefined, producerId: number): Promise<FoundPolicy> {
  const ofEvent = eventId === undefined ? undefined : await selectEventPolicy(tx, eventId);
  if (ofEvent) return { source: 'event', policy: ofEvent };
  const ofProducer = await selectProducerPolicy(tx, producerId);
  return ofProducer ? { source: 'producer', policy: ofProducer } : { source: 'default', policy: defaultPolicy };
}

export async function getProducerTaxPolicy(tx: Tx, producerId: number): Promise<AppliedTaxPolicy> {
  if (!(await selectProducerPricingContext(tx, producerId))) throw new Problem('not_found');
  return describe(await findPolicy(tx, undefined, producerId));
}

export async function getEventTaxPolicy(tx: Tx, eventId: number): Promise<AppliedTaxPolicy> {
  const context = await selectEventPricingContext(tx, eventId);
  if (!context) throw new Problem('not_found');
  return describe(await findPolicy(tx, eventId, context.producerId));
}

export async function listTaxPolicies(tx: Tx, query: PageQuery): Promise<Page<TaxException>> {
  const after = query.cursor === undefined ? ([0, 0] as const) : decodeCursor(query.cursor, ['number', 'number']);
  const rows = await selectPolicies(tx, after, rowsToFetch(query));
  return toPage(rows, query, (row) => [row.event_id, row.producer_id], toException);
}

const toException = ({ producer_id, producer_name, event_id, event_title, currency, ...policy }: TaxExceptionRow): TaxException => ({
  ...toBody(policy),
  producer: { id: producer_id, name: producer_name },
  event: event_title === null ? null : { id: event_id, title: event_title },
  currency,
});

const describe = ({ source, policy }: FoundPolicy): AppliedTaxPolicy => ({ ...toBody(policy), source });

export const toBody = ({ rate, minimum, distribution }: TaxPolicy): TaxPolicyBody => ({
  ratePercent: fromPercentE4(rate),
  minimum,
  taxDistribution: fromPercentE4(distribution),
});
