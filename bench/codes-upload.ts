// S6: the duration of an upload of codes over HTTP, compared with a raw COPY of the same rows into the same table. M1: the memory that the
// upload needs.
import { createReadStream, createWriteStream, mkdtempSync, openAsBlob, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { compare, secondsOf, speedRatio } from './compare.ts';
import type { Measure, Options, Result } from './measure.ts';
import { growthOf } from './memory.ts';
import { type MeasuredService, withService } from './service.ts';
import { openShop, type Shop } from './shop.ts';
import { checkpoint } from './sold-tickets.ts';

const names = ['Ana', 'João', 'Maria', 'Souza', 'Silva', 'Conceição', 'Pedro', 'Oliveira'];
/** Returns code number `n`. All codes differ, and they are not sorted. */
const codeOf = (n: number) => `PX-${((n * 2_654_435_761) % 4_294_967_296).toString(36).toUpperCase().padStart(7, '0')}`;
const holderOf = (n: number) => `${names[n % 8]} ${names[(n >> 3) % 8]} ${n % 5000},${100_000_000 + n}`;

async function writeCsv(path: string, rows: number, header: string, line: (n: number) => string): Promise<void> {
  function* parts() {
    yield `${header}\n`;
    for (let n = 0; n < rows; n += 1000) {
      let part = '';
      for (let i = n; i < Math.min(rows, n + 1000); i++) part += `${line(i)}\n`;
      yield part;
    }
  }
  await pipeline(Readable.from(parts()), createWriteStream(path));
}

async function upload({ origin }: MeasuredService, shop: Shop, eventId: number, file: string): Promise<void> {
  const form = new FormData();
  form.append('file', await openAsBlob(file), 'codes.csv');
  const headers = { authorization: `Bearer ${await shop.token()}` };
  const response = await fetch(`${origin}/v1/events/${eventId}/codes`, { method: 'POST', headers, body: form });
  if (!response.ok) throw new Error(await response.text());
  await response.json();
}

async function copy(service: MeasuredService, file: string, columns: string): Promise<void> {
  const client = await service.connect();
  try {
    await pipeline(createReadStream(file), client.query(copyFrom(`copy external_code (${columns}) from stdin (format csv, header)`)));
  } finally {
    await client.end();
  }
}

async function measureIn(folder: string, service: MeasuredService, { rounds, quick }: Options): Promise<Record<string, Result>> {
  const count = quick ? 10_000 : 1_000_000;
  const [codes, rows] = [join(folder, 'codes.csv'), join(folder, 'rows.csv')];
  const shop = openShop(service);
  const { eventId } = await shop.createEvent();
  const item = await shop.call<{ id: number }>('POST', '/items', { eventId, name: 'Partner', type: 'external' });
  await writeCsv(codes, count, 'code,item,name,document', (n) => `${codeOf(n)},Partner,${holderOf(n)}`);
  const columns = 'event_id,item_id,created_at,code,holder_name,holder_document';
  await writeCsv(rows, count, columns, (n) => `${eventId},${item.id},2026-01-01T00:00:00Z,${codeOf(n)},${holderOf(n)}`);
  const empty = async () => {
    await service.query('truncate external_code cascade');
    await checkpoint(service);
  };
  const growths: number[] = [];
  const compared = await compare({
    rounds,
    async ours() {
      await empty();
      const { result, grownMiB } = await growthOf(service.pid, () => secondsOf(() => upload(service, shop, eventId, codes)));
      growths.push(grownMiB);
      return result;
    },
    async control() {
      await empty();
      return secondsOf(() => copy(service, rows, columns));
    },
    ratio: speedRatio,
  });
  return { S6: { ...compared, count }, M1: { value: Math.max(...growths), count } };
}

export const measureUpload: Measure = async (options) => {
  options.progress('S6, M1');
  const folder = mkdtempSync(join(tmpdir(), 'tessera-bench-'));
  try {
    return await withService({ environment: { LOAD_SHEDDING: 'off' } }, (service) => measureIn(folder, service, options));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
