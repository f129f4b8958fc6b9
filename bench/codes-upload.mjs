// S6 and M1: a file of codes imported over HTTP, against a raw COPY of the same rows into the same table, and the memory it takes.
import { createReadStream, createWriteStream, mkdtempSync, openAsBlob, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import { compare, secondsOf } from './compare.mjs';
import { growthOf } from './memory.mjs';
import { startService } from './service.mjs';
import { call, openShop } from './shop.mjs';

const names = ['Ana', 'João', 'Maria', 'Souza', 'Silva', 'Conceição', 'Pedro', 'Oliveira'];
/** All different and in no order, as codes are. */
const codeOf = (n) => `PX-${((n * 2_654_435_761) % 4_294_967_296).toString(36).toUpperCase().padStart(7, '0')}`;
const holderOf = (n) => `${names[n % 8]} ${names[(n >> 3) % 8]} ${n % 5000},${100_000_000 + n}`;

async function writeCsv(path, rows, header, line) {
  function* lines() {
    yield `${header}\n`;
    for (let n = 0; n < rows; n += 1000) {
      let part = '';
      for (let i = n; i < Math.min(rows, n + 1000); i++) part += `${line(i)}\n`;
      yield part;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(path));
}

export async function measure(_ids, { rounds, quick, progress }) {
  progress('S6, M1');
  const rows = quick ? 40_000 : 1_000_000;
  const folder = mkdtempSync(join(tmpdir(), 'tessera-bench-'));
  const [file, bare] = [join(folder, 'codes.csv'), join(folder, 'control.csv')];
  const service = await startService({ LOAD_SHEDDING: 'off' });
  const client = await service.connect();
  try {
    const { token, createEvent } = await openShop(service.api);
    const { eventId } = await createEvent();
    const item = await call(service.api, token, 'POST', '/items', { eventId, name: 'Partner', type: 'external' });
    await writeCsv(file, rows, 'code,item,name,document', (n) => `${codeOf(n)},Partner,${holderOf(n)}`);
    const columns = 'event_id,item_id,created_at,code,holder_name,holder_document';
    await writeCsv(bare, rows, columns, (n) => `${eventId},${item.id},2026-01-01T00:00:00Z,${codeOf(n)},${holderOf(n)}`);
    const empty = () => client.query('truncate external_code cascade; checkpoint');
    const copy = () =>
      pipeline(createReadStream(bare), client.query(from(`copy external_code (${columns}) from stdin (format csv, header)`)));
    async function upload() {
      const form = new FormData();
      form.append('file', await openAsBlob(file), 'codes.csv');
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${service.api}/events/${eventId}/codes`, { method: 'POST', headers, body: form });
      if (!answer.ok) throw new Error(await answer.text());
      await answer.json();
    }
    const growths = [];
    const result = await compare({
      rounds,
      async ours() {
        await empty();
        let seconds = 0;
        growths.push(
          await growthOf(service.pid, async () => {
            seconds = await secondsOf(upload);
          }),
        );
        return { seconds };
      },
      async control() {
        await empty();
        return { seconds: await secondsOf(copy) };
      },
      ratioOf: (own, other) => other.seconds / own.seconds,
    });
    return { S6: { ...result, count: rows }, M1: { value: Math.max(...growths), count: rows } };
  } finally {
    await client.end();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
