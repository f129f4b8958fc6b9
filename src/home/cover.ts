import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Cover, CoverChanges } from './contract.ts';
import { lockCover, selectCover, upsertCover } from './home.sql.ts';
import { requirePublished } from './require-published.ts';

const unset: Cover = { image: null, title: null, target: null, eventId: null };

/** All fields are null if no cover is set, or if the event of the cover is not published or has finished. */
export async function getHomeCover(tx: Tx, { at }: Act): Promise<Cover> {
  return readCover(tx, at);
}

export async function setCover(tx: Tx, act: Act, changes: CoverChanges): Promise<Cover> {
  await lockCover(tx);
  const before = await readCover(tx, null);
  const after = { ...before, ...changes };
  if (changes.eventId) await requirePublished(tx, 'eventId', [changes.eventId]);
  await upsertCover(tx, { image: after.image, title: after.title, target: after.target, event_id: after.eventId });
  await record(tx, act, { subject: 'home_cover', id: 'cover', before, after });
  return after;
}

async function readCover(tx: Tx, at: Date | null): Promise<Cover> {
  const row = await selectCover(tx, at);
  return row ? { image: row.image, title: row.title, target: row.target, eventId: row.event_id } : unset;
}
