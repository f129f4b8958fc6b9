import { measureAudit } from './audit.ts';
import { measureCheckins } from './checkins.ts';
import { measureUpload } from './codes-upload.ts';
import { measureDatabaseGrowth } from './database-growth.ts';
import { measureEventPages, measureShopPage } from './event-pages.ts';
import { measureExport } from './export.ts';
import { measureFirstStart } from './first-start.ts';
import { measureLists } from './lists.ts';
import type { Measure } from './measure.ts';
import { measureBatching } from './order-batching.ts';
import { measureOrderGrowth } from './order-growth.ts';
import { measureManyEvents, measureOneItem } from './order-throughput.ts';
import { measurePasskeys } from './passkey-batch.ts';
import { measureProcesses } from './processes.ts';
import { measureReports } from './reports.ts';
import { measureRequestCost } from './request-cost.ts';
import { measureScriptSizes } from './script-sizes.ts';

interface Bounds {
  /** The bound that every release must reach. */
  must: number;
  /** The bound that we want to reach. */
  aim: number;
  sign: '≥' | '≤';
}

export interface Figure extends Bounds {
  id: string;
  title: string;
  control: string;
  unit: '×' | ' MiB' | ' s' | ' ms';
  /** If several functions measure a figure, the worst result counts. */
  measuredBy: Measure[];
}

const atLeast = (must: number, aim: number): Bounds => ({ must, aim, sign: '≥' });
const atMost = (must: number, aim: number): Bounds => ({ must, aim, sign: '≤' });

export const reaches = ({ sign }: Figure, value: number, bound: number): boolean => (sign === '≥' ? value >= bound : value <= bound);

const figure = (
  id: string,
  measuredBy: Measure | Measure[],
  title: string,
  control: string,
  bounds: Bounds,
  unit: Figure['unit'] = '×',
) => ({
  id,
  measuredBy: [measuredBy].flat(),
  title,
  control,
  unit,
  ...bounds,
});

const limit = 'echo and plain SQL combined';
const million = '1,000,000';

export const figures: Figure[] = [
  figure('S1', measureOneItem, 'POST /orders, one item, 256 clients', limit, atLeast(0.4, 0.7)),
  figure('S2', measureBatching, 'POST /orders in batches, 256 clients', 'one transaction per order', atLeast(8, 15)),
  figure('S3', measureManyEvents, 'POST /orders, 200 items of 50 events', limit, atLeast(0.3, 0.6)),
  figure('S4', measureEventPages, 'event pages from the cache', 'Fastify sending the same bytes', atLeast(0.7, 0.9)),
  figure('S5', measureExport, `export of ${million} orders to CSV`, 'raw COPY to a file', atLeast(0.5, 0.85)),
  figure('S6', measureUpload, `upload of ${million} codes`, 'raw COPY of the rows', atLeast(0.5, 0.85)),
  figure('S7', measurePasskeys, '100,000 passkeys on 3 items', 'raw insert of the rows', atLeast(0.7, 0.9)),
  figure('S8', measureCheckins, 'check-ins, 50 per request, 100,000 tickets sold', `${limit}, with signatures`, atLeast(0.4, 0.7)),
  figure('S9', measureShopPage, 'event page as HTML, from the cache', 'Fastify sending the same bytes', atLeast(0.7, 0.9)),
  figure('S10', measureProcesses, '3 processes with 3 hot events behind a proxy', '1 process behind a proxy', atLeast(1, 1.3)),
  figure('G1', measureOrderGrowth, `one order after ${million} others`, 'one order after 1,000', atMost(1.2, 1.05)),
  figure('G2', measureLists, 'page 10,000 of a list', 'page 1', atMost(1.2, 1.05)),
  figure('G3', measureReports, `reports over ${million} tickets`, 'reports over 10,000', atMost(30, 3)),
  figure('G4', measureDatabaseGrowth, 'single requests with 10,000,000 tickets stored', 'with 10,000 tickets', atMost(1.5, 1.1)),
  figure('A1', measureAudit, `audit of ${million} orders`, 'reading every row once', atMost(3, 1.5)),
  figure('M1', [measureExport, measureUpload], 'memory for S5 and S6', 'before', atMost(64, 32), ' MiB'),
  figure('M2', measureFirstStart, 'first start to first response', 'none', atMost(8, 4), ' s'),
  figure('C1', measureRequestCost, 'CPU time of the costliest anonymous request', 'reported beside it', atMost(5, 1), ' ms'),
  figure('W1', measureScriptSizes, 'JavaScript of the first pages', 'limits of 15, 45 and 25 kB', atMost(1, 0.7)),
];
