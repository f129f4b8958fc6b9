import type { Act } from '../kernel/act.ts';
import { changesImage, describeImage, describePicture, type Picture, type StoredPicture } from '../kernel/picture.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import { releasePicture } from '../platform/pictures/picture-store.ts';
import type { Tx } from '../postgres/database.ts';
import type { Cover, CoverChanges } from './contract.ts';
import { type CoverColumns, type CoverRow, lockCover, selectCover, upsertCover } from './home.sql.ts';
import { requirePublished } from './require-published.ts';

const unset: CoverRow = { image: null, picture_id: null, picture: null, title: null, target: null, event_id: null };

/** All fields are null if no cover is set, or if the event of the cover is not published or has finished. */
export async function getHomeCover(tx: Tx, { at }: Act): Promise<Cover> {
  return toCover((await selectCover(tx, at)) ?? unset);
}

/** The cover as it was set, even if it is not shown now. */
export async function readCoverSettings(tx: Tx): Promise<Cover> {
  return toCover((await selectCover(tx, null)) ?? unset);
}

export async function setCover(tx: Tx, act: Act, changes: CoverChanges): Promise<Cover> {
  if (changes.eventId) await requirePublished(tx, 'eventId', [changes.eventId]);
  return changeCover(tx, act, (before) => ({
    ...(changesImage(changes.image, toCover(before).image, 'image', 'POST /home/cover/image') && {
      image: changes.image,
      picture_id: null,
    }),
    title: changes.title === undefined ? before.title : changes.title,
    target: changes.target === undefined ? before.target : changes.target,
    event_id: changes.eventId === undefined ? before.event_id : changes.eventId,
  }));
}

export async function uploadCoverImage(tx: Tx, act: Act, picture: StoredPicture): Promise<Picture> {
  await changeCover(tx, act, () => ({ image: null, picture_id: picture.id }));
  return describePicture(picture);
}

export async function deleteCoverImage(tx: Tx, act: Act): Promise<void> {
  await changeCover(tx, act, ({ image, picture_id }) => {
    if (image === null && picture_id === null) throw new Problem('not_found', 'The cover has no picture.');
    return { image: null, picture_id: null };
  });
}

async function changeCover(tx: Tx, act: Act, change: (before: CoverRow) => Partial<CoverColumns>): Promise<Cover> {
  await lockCover(tx);
  const { picture, ...columns } = (await selectCover(tx, null)) ?? unset;
  await upsertCover(tx, { ...columns, ...change({ ...columns, picture }) });
  const changed = (await selectCover(tx, null)) ?? unset;
  if (changed.picture_id !== columns.picture_id) await releasePicture(tx, act, columns.picture_id);
  const after = toCover(changed);
  await record(tx, act, { subject: 'home_cover', id: 'cover', before: toCover({ ...columns, picture }), after });
  return after;
}

function toCover({ image, picture, title, target, event_id }: CoverRow): Cover {
  const shown = describeImage(image, picture);
  return { image: shown.address, picture: shown.picture, title, target, eventId: event_id };
}
