// G3: the duration of the bordero and the entry report over a million tickets, compared with ten thousand tickets. As a detail, it measures
// how long it takes to count the same figures from the ledger and the check-ins.
import { compare, costRatio, secondsOf } from './compare.ts';
import type { Measure } from './measure.ts';
import { fillForReports } from './report-data.ts';
import { type MeasuredService, withService } from './service.ts';
import { openShop, type Sale, type Shop } from './shop.ts';
import { finishMaintenance } from './sold-tickets.ts';

const requests = 40;
const small = 10_000;

interface Report {
  name: string;
  path: string;
  /** Views that count the same figures from all rows. */
  recounts: string[];
}

const reports: Report[] = [
  { name: 'bordero', path: 'bordero', recounts: ['sales_recount'] },
  { name: 'entries', path: 'guestlist?method=report', recounts: ['entry_recount', 'guest_recount'] },
];

interface Sales {
  few: Sale;
  many: Sale;
}

async function measureReport(service: MeasuredService, shop: Shop, { path, recounts }: Report, { few, many }: Sales, rounds: number) {
  const read = ({ eventId }: Sale) =>
    secondsOf(async () => {
      for (let i = 0; i < requests; i++) await shop.call('GET', `/event/${eventId}/${path}`);
    });
  const recount = async ({ eventId }: Sale) => {
    const { seconds } = await secondsOf(async () => {
      for (const view of recounts) await service.query(`select * from ${view} where event_id = ${eventId}`);
    });
    return seconds * 1_000;
  };
  const compared = await compare({ rounds, ours: () => read(many), control: () => read(few), ratio: costRatio });
  return { ...compared, recountedMs: { ours: await recount(many), control: await recount(few) } };
}

/** Measures both reports. The result is that of the report with the larger ratio. */
export const measureReports: Measure = ({ rounds, quick, progress }) =>
  withService({}, async (service) => {
    const tickets = quick ? 20_000 : 1_000_000;
    progress(`G3: filling ${tickets} tickets`);
    const shop = openShop(service);
    const sales = { few: await shop.createEvent({ items: 4 }), many: await shop.createEvent({ items: 4 }) };
    await fillForReports(service, sales.few, small);
    await fillForReports(service, sales.many, tickets);
    await finishMaintenance(service);
    const measured = [];
    for (const report of reports) {
      progress(`G3: ${report.name}`);
      measured.push({ name: report.name, ...(await measureReport(service, shop, report, sales, rounds)) });
    }
    const [slowest] = measured.toSorted((a, b) => b.value - a.value);
    if (!slowest) throw new Error('No report was measured');
    return { G3: { ...slowest, tickets, reports: measured } };
  });
