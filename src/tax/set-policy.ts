import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { TaxPolicy } from './calculate.ts';
import type { TaxPolicyBody } from './contract.ts';
import { toBody } from './get-policy.ts';
import { requirePercentE4, roundToPercentE4 } from './percent.ts';
import {
  selectEventPolicy,
  selectEventPricingContext,
  selectProducerPolicy,
  selectProducerPricingContext,
  upsertEventPolicy,
  upsertProducerPolicy,
} from './policies.sql.ts';

export async function setProducerTaxPolicy(tx: Tx, act: Act, producerId: number, body: TaxPolicyBody): Promise<TaxPolicyBody> {
  if (!(await selectProducerPricingContext(tx, producerId))) throw new Problem('not_found');
  const before = await selectProducerPolicy(tx, producerId);
  const policy = toPolicy(body);
  const after = toBody(policy);
  await upsertProducerPolicy(tx, producerId, policy);
  await record(tx, act, {
    subject: 'tax_policy',
    id: `producer ${producerId}`,
    producerId,
    before: before ? toBody(before) : null,
    after,
  });
  return after;
}

export async function setEventTaxPolicy(tx: Tx, act: Act, eventId: number, body: TaxPolicyBody): Promise<TaxPolicyBody> {
  const context = await selectEventPricingContext(tx, eventId);
  if (!context) throw new Problem('not_found');
  const before = await selectEventPolicy(tx, eventId);
  const policy = toPolicy(body);
  const after = toBody(policy);
  await upsertEventPolicy(tx, eventId, policy);
  const { producerId } = context;
  await record(tx, act, {
    subject: 'tax_policy',
    id: `event ${eventId}`,
    producerId,
    eventId,
    before: before ? toBody(before) : null,
    after,
  });
  return after;
}

function toPolicy({ ratePercent, minimum, taxDistribution }: TaxPolicyBody): TaxPolicy {
  return {
    rate: requirePercentE4('body', 'ratePercent', ratePercent),
    minimum,
    distribution: roundToPercentE4(taxDistribution),
  };
}
