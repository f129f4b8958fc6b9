import { linkOf } from '../src/exports/link.ts';
import { openFiles } from '../src/platform/files/open-files.ts';
import type { World } from './harness.ts';
import { noon } from './world.ts';

interface Facts {
  eventId: number;
  userId: number;
  status?: string;
}

/** An export as somebody asked for it some time ago; nobody works on it. */
export async function insertExport({ pool }: World, { eventId, userId, status = 'queued' }: Facts): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into export (event_id, user_id, type, format, filters, locale, bom, fingerprint, status, next_attempt_at, created_at, finished_at)
     values ($1, $2, 'transactions', 'csv', '{}', 'en', false, sha256(gen_random_uuid()::text::bytea), $3, $4, $4,
             case when $3 = 'cancelled' then $4::timestamptz end) returning id`,
    [eventId, userId, status, noon],
  );
  return rows[0]?.id ?? 0;
}

/** Of an export of the first event that is ready. */
export async function linkOfFile(world: World, content = 'a,b\n1,2\n'): Promise<string> {
  const id = await insertExport(world, { eventId: world.event, userId: world.users.owner });
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
  return linkOf({ id, user_id: world.users.owner, expires_at: expiresAt, secret: rows[0]?.secret ?? Buffer.alloc(0) }) ?? '';
}
