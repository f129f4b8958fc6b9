import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { toBody } from './get-policy.ts';
import {
  deleteEventPolicy,
  deleteProducerPolicy,
  selectEventPolicy,
  selectEventPricingContext,
  selectProducerPolicy,
} from './policies.sql.ts';

export async function removeProducerTaxPolicy(tx: Tx, act: Act, producerId: number): Promise<void> {
  const before = await selectProducerPolicy(tx, producerId);
  if (!before) throw new Problem('not_found');
  await deleteProducerPolicy(tx, producerId);
  await record(tx, act, { subject: 'tax_policy', id: `producer ${producerId}`, producerId, before: toBody(before), after: null });
}

export async function removeEventTaxPolicy(tx: Tx, act: Act, eventId: number): Promise<void> {
  const before = await selectEventPolicy(tx, eventId);
  const context = await selectEventPricingContext(tx, eventId);
  if (!before || !context) throw new Problem('not_found');
  await deleteEventPolicy(tx, eventId);
  const { producerId } = context;
  await record(tx, act, { subject: 'tax_policy', id: `event ${eventId}`, producerId, eventId, before: toBody(before), after: null });
}
