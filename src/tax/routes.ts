import { type Capability, capability } from '../http/capability.ts';
import { taxContract } from './contract.ts';
import { getEventTaxPolicy, getProducerTaxPolicy, listTaxPolicies } from './get-policy.ts';
import { getTax } from './get-tax.ts';
import { removeEventTaxPolicy, removeProducerTaxPolicy } from './remove-policy.ts';
import { setEventTaxPolicy, setProducerTaxPolicy } from './set-policy.ts';

export const tax: Capability = capability(taxContract, {
  getTax: (tx, _act, { query }) => getTax(tx, query),
  getProducerTaxPolicy: (tx, _act, { params }) => getProducerTaxPolicy(tx, params.id),
  getEventTaxPolicy: (tx, _act, { params }) => getEventTaxPolicy(tx, params.id),
  listTaxPolicies: (tx, _act, { query }) => listTaxPolicies(tx, query),
  setProducerTaxPolicy: (tx, act, { params, body }) => setProducerTaxPolicy(tx, act, params.id, body),
  setEventTaxPolicy: (tx, act, { params, body }) => setEventTaxPolicy(tx, act, params.id, body),
  removeProducerTaxPolicy: (tx, act, { params }) => removeProducerTaxPolicy(tx, act, params.id),
  removeEventTaxPolicy: (tx, act, { params }) => removeEventTaxPolicy(tx, act, params.id),
});
