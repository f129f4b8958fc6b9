import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { StoredPicture } from '../kernel/picture.ts';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';
import { storedPicture } from '../postgres/stored-picture.ts';

/** The home page shows only published events that have not finished. */
const isShown = (at: Date) => sql<boolean>`event.status = 'published' and event.finishes_at > ${at}`;

/** The home page shows a featured entry only during its period. */
const isInPeriod = (at: Date) =>
  sql<boolean>`(featured.show_from is null or featured.show_from <= ${at}) and (featured.show_until is null or featured.show_until > ${at})`;

/** The uploaded picture of a featured entry or of the cover. */
const pictureOf = (table: 'featured' | 'home_cover') => storedPicture(`${table}.picture_id`).as('picture');

export interface FeaturedRow extends Selectable<Schema['featured']> {
  picture: StoredPicture | null;
}

export async function selectFeatured(tx: Tx): Promise<FeaturedRow[]> {
  return tx.selectFrom('featured').selectAll().select(pictureOf('featured')).orderBy('position').orderBy('id').execute();
}

export async function selectFeaturedEventIds(tx: Tx, state: string | null, at: Date): Promise<number[]> {
  const rows = await tx
    .selectFrom('featured')
    .innerJoin('event', 'event.id', 'featured.event_id')
    .select('event.id')
    .where(isShown(at))
    .where(isInPeriod(at))
    .where((e) => (state === null ? e.val(true) : e('event.venue_state', '=', state)))
    .orderBy('featured.position')
    .orderBy('featured.id')
    .execute();
  return [...new Set(rows.map(({ id }) => id))];
}

/** Returns the entries with an image or an uploaded picture. Leaves out entries whose event is not shown now. */
export async function selectBanners(tx: Tx, state: string | null, at: Date): Promise<FeaturedRow[]> {
  return tx
    .selectFrom('featured')
    .leftJoin('event', 'event.id', 'featured.event_id')
    .selectAll('featured')
    .select(pictureOf('featured'))
    .where((e) => e.or([e('featured.image', 'is not', null), e('featured.picture_id', 'is not', null)]))
    .where((e) => e.or([e('featured.event_id', 'is', null), isShown(at)]))
    .where(isInPeriod(at))
    .where((e) =>
      state === null
        ? e.val(true)
        : e.or([
            e('event.venue_state', '=', state),
            e.and([e('featured.event_id', 'is', null), e.or([e('featured.state', 'is', null), e('featured.state', '=', state)])]),
          ]),
    )
    .orderBy('featured.position')
    .orderBy('featured.id')
    .execute();
}

export async function selectFeaturedForUpdate(tx: Tx, id: number): Promise<FeaturedRow | undefined> {
  return tx.selectFrom('featured').selectAll().select(pictureOf('featured')).where('id', '=', id).forUpdate().executeTakeFirst();
}

/** A new entry has no uploaded picture. */
export async function insertFeatured(tx: Tx, entry: Insertable<Schema['featured']>): Promise<FeaturedRow> {
  const row = await tx.insertInto('featured').values(entry).returningAll().executeTakeFirstOrThrow();
  return { ...row, picture: null };
}

export async function updateFeaturedRow(tx: Tx, id: number, changes: Updateable<Schema['featured']>): Promise<FeaturedRow> {
  return tx
    .updateTable('featured')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .returning(pictureOf('featured'))
    .executeTakeFirstOrThrow();
}

export async function deleteFeaturedRow(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('featured').where('id', '=', id).execute();
}

export interface SectionRow extends Selectable<Schema['home_section']> {
  event_ids: number[];
}

/** If `at` is a time, each section has only the events that are shown at that time. If `at` is null, it has all events. */
export async function selectSections(tx: Tx, at: Date | null): Promise<SectionRow[]> {
  return tx
    .selectFrom('home_section')
    .selectAll('home_section')
    .select((e) =>
      e.fn
        .coalesce(
          e
            .selectFrom('home_section_event')
            .innerJoin('event', 'event.id', 'home_section_event.event_id')
            .select(sql<number[]>`array_agg(event.id order by home_section_event.position)`.as('ids'))
            .whereRef('section_id', '=', 'home_section.id')
            .where(at === null ? sql<boolean>`true` : isShown(at)),
          sql<number[]>`'{}'`,
        )
        .as('event_ids'),
    )
    .orderBy('home_section.position')
    .orderBy('home_section.id')
    .execute();
}

export async function lockSection(tx: Tx, id: number): Promise<boolean> {
  return (await tx.selectFrom('home_section').select('id').where('id', '=', id).forUpdate().executeTakeFirst()) !== undefined;
}

export async function insertSection(tx: Tx, section: Insertable<Schema['home_section']>): Promise<number> {
  const { id } = await tx.insertInto('home_section').values(section).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function updateSectionRow(tx: Tx, id: number, changes: Updateable<Schema['home_section']>): Promise<void> {
  await tx.updateTable('home_section').set(changes).where('id', '=', id).execute();
}

export async function deleteSectionRow(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('home_section').where('id', '=', id).execute();
}

export async function deleteSectionEvents(tx: Tx, sectionId: number): Promise<void> {
  await tx.deleteFrom('home_section_event').where('section_id', '=', sectionId).execute();
}

export async function insertSectionEvents(tx: Tx, sectionId: number, eventIds: readonly number[]): Promise<void> {
  const rows = eventIds.map((eventId, position) => ({ section_id: sectionId, event_id: eventId, position }));
  await tx.insertInto('home_section_event').values(rows).execute();
}

export type CoverColumns = Omit<Selectable<Schema['home_cover']>, 'only_one'>;
export interface CoverRow extends CoverColumns {
  picture: StoredPicture | null;
}

/** If `at` is a time, returns the cover only if it is shown at that time. If `at` is null, always returns the cover. */
export async function selectCover(tx: Tx, at: Date | null): Promise<CoverRow | undefined> {
  return tx
    .selectFrom('home_cover')
    .leftJoin('event', 'event.id', 'home_cover.event_id')
    .select(['image', 'home_cover.picture_id', 'home_cover.title', 'target', 'event_id', pictureOf('home_cover')])
    .where((e) => (at === null ? e.val(true) : e.or([e('event_id', 'is', null), isShown(at)])))
    .executeTakeFirst();
}

/** Locks the cover, so that concurrent changes of different fields are all kept. Creates the row first if it does not exist. */
export async function lockCover(tx: Tx): Promise<void> {
  await tx
    .insertInto('home_cover')
    .values({ image: null, picture_id: null, title: null, target: null, event_id: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx.selectFrom('home_cover').select('only_one').forUpdate().execute();
}

export async function upsertCover(tx: Tx, cover: CoverColumns): Promise<void> {
  await tx
    .insertInto('home_cover')
    .values(cover)
    .onConflict((conflict) => conflict.column('only_one').doUpdateSet(cover))
    .execute();
}

interface HomeEventRow {
  id: number;
  title: string;
  is_shown: boolean;
}

/** Returns the events of the cover, of the featured entries and of the sections. */
export async function selectHomeEvents(tx: Tx, at: Date): Promise<HomeEventRow[]> {
  const { rows } = await sql<HomeEventRow>`
    select id, title, coalesce(${isShown(at)}, false) as is_shown from event
     where id in (select event_id from home_cover
                  union all select event_id from featured
                  union all select event_id from home_section_event)
     order by id`.execute(tx);
  return rows;
}

/** Returns the ids that do not belong to a published event. */
export async function selectUnpublished(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${ids}::bigint[]) as asked (id)
     where not exists (select 1 from event where event.id = asked.id and status = 'published')`.execute(tx);
  return rows.map(({ id }) => id);
}
