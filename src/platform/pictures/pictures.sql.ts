import { sql } from 'kysely';
import type { StoredPicture } from '../../kernel/picture.ts';
import type { Tx } from '../../postgres/database.ts';

/** Returns false if the picture is being removed. */
export async function upsertPicture(tx: Tx, { id, width, height, widths, formats, color }: StoredPicture, at: Date): Promise<boolean> {
  const { rows } = await sql<{ removing: boolean }>`
    insert into picture (id, width, height, widths, formats, color, used_at)
    values (${id}, ${width}, ${height}, ${widths}, ${formats}, ${color}, ${at})
    on conflict (id) do update set used_at = greatest(picture.used_at, excluded.used_at) returning removing`.execute(tx);
  return rows[0]?.removing === false;
}

export async function touchPicture(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.updateTable('picture').set({ used_at: at }).where('id', '=', id).execute();
}

const isUnused = (before: Date) => sql<boolean>`
  (removing or used_at < ${before}
    and not exists (select from event where event.picture_id = picture.id)
    and not exists (select from featured where featured.picture_id = picture.id)
    and not exists (select from home_cover where home_cover.picture_id = picture.id)
    and not exists (select from producer where producer.picture_id = picture.id))`;

export async function countUnused(tx: Tx, before: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from picture where ${isUnused(before)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Returns pictures that nothing refers to. From now on they cannot be used again. */
export async function markUnused(tx: Tx, before: Date, limit: number): Promise<Pick<StoredPicture, 'id' | 'widths' | 'formats'>[]> {
  const { rows } = await sql<Pick<StoredPicture, 'id' | 'widths' | 'formats'>>`
    update picture set removing = true
     where id = any(array(select id from picture where ${isUnused(before)} order by used_at limit ${limit} for update skip locked))
    returning id, widths, formats`.execute(tx);
  return rows;
}

export async function deleteRemoved(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`delete from picture where id = any(${ids}::text[]) and removing`.execute(tx);
}
