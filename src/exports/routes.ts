import { type Capability, capability } from '../http/capability.ts';
import { cancelExport } from './cancel-export.ts';
import { exportsContract } from './contract.ts';
import { describeExport, requireExport } from './export.ts';
import { getExportFile } from './get-export-file.ts';
import { listExports } from './list-exports.ts';
import { requestExport } from './request-export.ts';

export const exports: Capability = capability(exportsContract, {
  requestExport: (tx, act, { params, body }) => requestExport(tx, act, params.eventId, body),
  listExports: (tx, act, { params, query }) => listExports(tx, act, params.eventId, query),
  getExport: async (tx, act, { params }) => describeExport(await requireExport(tx, act, params.id), act),
  watchExport: async (tx, act, { params }) => describeExport(await requireExport(tx, act, params.id), act),
  cancelExport: (tx, act, { params }) => cancelExport(tx, act, params.id),
  getExportFile: (tx, act, { params, query }) => getExportFile(tx, act, params.id, query.signature),
});
