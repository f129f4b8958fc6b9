import { type Capability, capability } from '../http/capability.ts';
import { eventsContract } from './contract.ts';
import { addCrewMember, getCrew, removeCrewMember, updateCrewMember } from './crew.ts';

export const events: Capability = capability(eventsContract, {
  getCrew: (tx, _act, { params }) => getCrew(tx, params.id),
  addCrewMember: (tx, act, { params, body }) => addCrewMember(tx, act, params.id, body),
  updateCrewMember: (tx, act, { params, body }) => updateCrewMember(tx, act, params.id, params.userId, body.role),
  removeCrewMember: (tx, act, { params }) => removeCrewMember(tx, act, params.id, params.userId),
});
