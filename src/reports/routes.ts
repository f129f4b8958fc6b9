import { type Capability, capability } from '../http/capability.ts';
import { getBordero } from './bordero.ts';
import { reportsContract } from './contract.ts';

export const reports: Capability = capability(reportsContract, {
  getBordero: (tx, act, { params, query }) => getBordero(tx, act, params.eventId, query.sessionId ?? null),
});
