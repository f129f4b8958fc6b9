import { crc32, inflateRawSync } from 'node:zlib';
import type { Export } from '../src/exports/contract.ts';
import { linkOf } from '../src/exports/link.ts';
import { type ExportContext, runExport as runExportOfEvent } from '../src/exports/run-export.ts';
import type { Files } from '../src/platform/files/files.ts';
import { openFiles } from '../src/platform/files/open-files.ts';
import type { World } from './harness.ts';
import { type Caller, noon } from './world.ts';

interface Facts {
  eventId: number;
  userId: number;
  status?: string;
  type?: Export['type'];
  /** Whether the file contains e-mail addresses and document numbers. */
  personal?: boolean;
}

/** Inserts an export that no worker processes. */
export async function insertExport(
  { pool }: World,
  { eventId, userId, status = 'queued', type = 'transactions', personal = true }: Facts,
): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into export (event_id, user_id, type, personal, format, filters, locale, bom, fingerprint, status, next_attempt_at, created_at, finished_at)
     values ($1, $2, $5, $6, 'csv', '{}', 'en', false, sha256(gen_random_uuid()::text::bytea), $3, $4, $4,
             case when $3 = 'cancelled' then $4::timestamptz end) returning id`,
    [eventId, userId, status, noon, type, personal],
  );
  return rows[0]?.id ?? 0;
}

/** Inserts a finished export of the first event and returns the download link of its file. */
export async function linkOfFile(world: World, content = 'a,b\n1,2\n', facts: Partial<Facts> = {}): Promise<string> {
  const { userId = world.users.owner } = facts;
  const id = await insertExport(world, { eventId: world.event, ...facts, userId });
  const key = `exports/${id}-1.csv`;
  await openFiles(world.config).write(
    key,
    'text/csv',
    (async function* () {
      yield Buffer.from(content);
    })(),
  );
  const expiresAt = new Date(noon.getTime() + 7 * 86_400_000);
  const { rows } = await world.pool.query<{ secret: Buffer }>(
    `update export set status = 'ready', attempt = 1, rows = 1, total = 1, bytes = $2, sha256 = sha256($3::bytea), file_key = $4,
            finished_at = $5, expires_at = $6 where id = $1 returning (select secret from file_link_key)`,
    [id, Buffer.byteLength(content), content, key, noon, expiresAt],
  );
  const secret = world.db.secrets.deriveKey('export links', rows[0]?.secret);
  return linkOf({ id, user_id: userId, expires_at: expiresAt, secret }) ?? '';
}

/** The context for calling the functions of the worker. No background worker runs in these tests. */
export const exportContextOf = (world: World, files: Files = openFiles(world.config)): ExportContext & { errors: unknown[] } => {
  const errors: unknown[] = [];
  return {
    db: world.db,
    files,
    publicUrl: 'https://tickets.example',
    clock: () => world.now,
    stopping: new AbortController().signal,
    log: { info: () => undefined, error: ({ err }: { err?: unknown }) => void errors.push(err) },
    errors,
  };
};

/** Runs one attempt of an export. */
export async function runExport(context: ExportContext, id: number): Promise<void> {
  const { event_id: eventId } = await context.db.selectFrom('export').select('event_id').where('id', '=', id).executeTakeFirstOrThrow();
  await runExportOfEvent(context, { eventId, id });
}

interface ExportOptions {
  as?: Caller;
  body?: object;
  headers?: Record<string, string>;
}

/** Requests an export of the first event, runs it and downloads its file. */
export async function exported(world: World, { as = 'owner', body = {}, headers = {} }: ExportOptions = {}) {
  const asked = await world.call('POST', `/event/${world.event}/export`, { as, body, headers });
  if (asked.statusCode !== 202) throw new Error(asked.body);
  const { id } = asked.json<Export>();
  await runExport(exportContextOf(world), id);
  const made = (await world.call('GET', `/exports/${id}`, { as })).json<Export>();
  const file = await world.call('GET', made.link ?? '/nowhere');
  return { made, file: file.rawPayload, headers: file.headers };
}

/** Parses a CSV file into rows of cells. Quoted cells may contain separators and line breaks. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === '\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

/** Returns the files in a zip archive, read through its central directory. */
export function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let n = archive.readUInt16LE(end + 10); n > 0; n--) {
    const [crc, packed, plain, nameLength] = [16, 20, 24]
      .map((i) => archive.readUInt32LE(at + i))
      .concat(archive.readUInt16LE(at + 28)) as [number, number, number, number];
    const name = archive.subarray(at + 46, at + 46 + nameLength).toString();
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = inflateRawSync(archive.subarray(start, start + packed));
    if (bytes.length !== plain || crc32(bytes) !== crc) throw new Error(`${name} is damaged`);
    files.set(name, bytes);
    at += 46 + nameLength;
  }
  return files;
}

interface CellRead {
  style: number;
  text: string | null;
  number: number | null;
}

/** Returns the cells of each sheet, with the values that a spreadsheet program shows. */
export function readXlsx(archive: Buffer): CellRead[][][] {
  const files = unzip(archive);
  const sheets = [...files].filter(([name]) => name.startsWith('xl/worksheets/'));
  return sheets.map(([, bytes]) =>
    [...bytes.toString().matchAll(/<row>(.*?)<\/row>/gs)].map(([, row = '']) =>
      [
        ...row.matchAll(
          /<c(?: t="inlineStr")?(?: s="(\d)")?(?:\/>|>(?:<v>(.*?)<\/v>|<is><t xml:space="preserve">(.*?)<\/t><\/is>)<\/c>)/gs,
        ),
      ].map(([, style = '0', number, text]) => ({
        style: Number(style),
        number: number === undefined ? null : Number(number),
        text: text === undefined ? null : readXmlText(text),
      })),
    ),
  );
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const readXmlText = (text: string): string =>
  text
    .replaceAll(/&(amp|lt|gt|quot);/g, (_, name: string) => named[name] ?? '')
    .replaceAll(/_x([0-9A-F]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
