import { type Capability, capability } from '../http/capability.ts';
import { cancelExport } from './cancel-export.ts';
import { exportsContract } from './contract.ts';
import { getExport } from './export.ts';
import { getExportFile } from './get-export-file.ts';
import { listExports } from './list-exports.ts';
import { requestExport } from './request-export.ts';

export const exports: Capability = capability(exportsContract, {
  requestExport: (tx, act, { params, body }) => requestExport(tx, act, params.eventId, body),
  listExports: (tx, act, { params, query }) => listExports(tx, act, params.eventId, query),
  getExport: (tx, act, { params }) => getExport(tx, act, params.id),
  watchExport: (tx, act, { params }) => getExport(tx, act, params.id),
  cancelExport: (tx, act, { params }) => cancelExport(tx, act, params.id),
  getExportFile: (tx, act, { params, query }) => getExportFile(tx, act, params.id, query.signature),
});
