import { type Capability, capability } from '../http/capability.ts';
import { codesContract } from './contract.ts';
import { deleteCode, deleteCodes, mergeFilters } from './delete-codes.ts';
import { importCodes } from './import-codes.ts';
import { listCodes } from './list-codes.ts';
import { receiveCodes } from './receive-codes.ts';

export const codes: Capability = capability(codesContract, {
  async importCodes(tx, act, { params, query, file }) {
    const received = await receiveCodes(tx, file);
    return () => importCodes(tx, act, params.eventId, query, received);
  },
  listCodes: (tx, _act, { params, query }) => listCodes(tx, params.itemId, query),
  deleteCodes: (tx, act, { params, query, body }) => deleteCodes(tx, act, params.eventId, mergeFilters(query, body)),
  deleteCode: (tx, act, { params }) => deleteCode(tx, act, params.itemId, params.codeId),
});
