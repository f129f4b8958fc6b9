import { type Capability, capability } from '../http/capability.ts';
import { getBordero } from './bordero.ts';
import { reportsContract } from './contract.ts';
import { getEntryReport } from './entry-report.ts';
import { listGuests } from './list-guests.ts';

export const reports: Capability = capability(reportsContract, {
  getBordero: (tx, act, { params, query }) => getBordero(tx, act, params.eventId, query.sessionId ?? null),
  getGuestlist: (tx, act, { params, query }) =>
    query.method === 'report' ? getEntryReport(tx, params.eventId, query.sessionId ?? null) : listGuests(tx, act, params.eventId, query),
});
