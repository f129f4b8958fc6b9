import { type Capability, capability } from '../http/capability.ts';
import { getAttributes, updateAttributes } from './attributes.ts';
import { getCancellation } from './cancellation.ts';
import { createCategory, deleteCategory, listCategories, updateCategory } from './categories.ts';
import { eventsContract } from './contract.ts';
import { addCrewMember, getCrew, removeCrewMember, updateCrewMember } from './crew.ts';

/** `reservedSlugs`: what no category may be called, as the address is another operation's. */
export const events = (reservedSlugs: () => ReadonlySet<string>): Capability =>
  capability(eventsContract, {
    getAttributes: (tx, { actor }, { params, query }) => getAttributes(tx, actor, params.id, query.filters),
    updateAttributes: (tx, act, { params, body }) => updateAttributes(tx, act, params.id, body),
    getCancellation: (tx, _act, { params }) => getCancellation(tx, params.id),
    listCategories: async (tx) => ({ data: await listCategories(tx), nextCursor: null }),
    createCategory: (tx, act, { body }) => createCategory(tx, act, body, reservedSlugs()),
    updateCategory: (tx, act, { params, body }) => updateCategory(tx, act, params.id, body, reservedSlugs()),
    deleteCategory: (tx, act, { params }) => deleteCategory(tx, act, params.id),
    getCrew: (tx, _act, { params }) => getCrew(tx, params.id),
    addCrewMember: (tx, act, { params, body }) => addCrewMember(tx, act, params.id, body),
    updateCrewMember: (tx, act, { params, body }) => updateCrewMember(tx, act, params.id, params.userId, body.role),
    removeCrewMember: (tx, act, { params }) => removeCrewMember(tx, act, params.id, params.userId),
  });
