import { type Capability, capability } from '../http/capability.ts';
import { getBordero } from './bordero.ts';
import { reportsContract } from './contract.ts';
import { getDashboard } from './dashboard.ts';
import { getEntryReport } from './entry-report.ts';
import { getBorderoPdf } from './get-bordero-pdf.ts';
import { listGuests } from './list-guests.ts';

export const reports: Capability = capability(reportsContract, {
  getDashboard: (tx, act, { params, query }) => getDashboard(tx, act, params.id, query.by ?? 'hour'),
  getBordero: (tx, act, { params, query }) => getBordero(tx, act, params.eventId, query.sessionId ?? null),
  getBorderoPdf: (tx, act, { params, query }) => getBorderoPdf(tx, act, params.eventId, query),
  getGuestlist: (tx, act, { params, query }) =>
    query.method === 'report' ? getEntryReport(tx, params.eventId, query.sessionId ?? null) : listGuests(tx, act, params.eventId, query),
});
