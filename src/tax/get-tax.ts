import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { calculateTax } from './calculate.ts';
import type { Tax } from './contract.ts';
import { findPolicy } from './get-policy.ts';
import { fromPercentE4, roundToPercentE4 } from './percent.ts';
import { type PricingContext, selectEventPricingContext, selectProducerPricingContext } from './policies.sql.ts';

export interface TaxQuery {
  eventId?: number;
  producerId?: number;
  price: number;
  taxDistribution?: number;
  tax?: number;
}

export async function getTax(tx: Tx, { eventId, producerId, price, taxDistribution, tax }: TaxQuery): Promise<Tax> {
  const context = await findPricingContext(tx, eventId, producerId);
  const { source, policy } = await findPolicy(tx, eventId, context.producerId);
  const requested = taxDistribution === undefined ? {} : { distribution: roundToPercentE4(taxDistribution) };
  const { distribution, ...amounts } = calculateTax({ price, ...(tax !== undefined && { tax }), ...requested }, policy);
  return {
    ...amounts,
    taxDistribution: fromPercentE4(distribution),
    currency: context.currency,
    rule: { source: tax === undefined ? source : 'custom', ratePercent: fromPercentE4(policy.rate), minimum: policy.minimum },
  };
}

async function findPricingContext(tx: Tx, eventId: number | undefined, producerId: number | undefined): Promise<PricingContext> {
  if (eventId === undefined && producerId === undefined) throw neitherGiven();
  const context =
    eventId === undefined ? await selectProducerPricingContext(tx, producerId ?? 0) : await selectEventPricingContext(tx, eventId);
  if (!context) throw new Problem('not_found');
  if (producerId !== undefined && context.producerId !== producerId) {
    const message = `Event ${eventId} does not belong to producer ${producerId}`;
    throw new Problem('rule_violation', message, { errors: [{ in: 'query', field: 'producerId', code: 'unrelated', message }] });
  }
  return context;
}

function neitherGiven(): Problem {
  const message = 'eventId or producerId is required';
  const errors = ['eventId', 'producerId'].map((field) => ({ in: 'query', field, code: 'required', message }) as const);
  return new Problem('invalid_input', message, { errors });
}
