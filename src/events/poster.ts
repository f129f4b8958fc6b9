import type { Act } from '../kernel/act.ts';
import { changesImage, describePicture, type Picture, type StoredPicture } from '../kernel/picture.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import { releasePicture } from '../platform/pictures/picture-store.ts';
import type { Tx } from '../postgres/database.ts';
import { type EventRow, updateEventRow } from './events.sql.ts';
import { lockEvent } from './lock-event.ts';

type PosterColumns = Pick<EventRow, 'poster' | 'picture_id'>;

export async function uploadPoster(tx: Tx, act: Act, eventId: number, picture: StoredPicture): Promise<Picture> {
  await replacePoster(tx, act, await lockEvent(tx, eventId), { poster: null, picture_id: picture.id });
  return describePicture(picture);
}

export async function deletePoster(tx: Tx, act: Act, eventId: number): Promise<void> {
  const event = await lockEvent(tx, eventId);
  if (event.poster === null && event.picture_id === null) throw new Problem('not_found', 'The event has no poster.');
  await replacePoster(tx, act, event, { poster: null, picture_id: null });
}

async function replacePoster(tx: Tx, act: Act, event: EventRow, after: PosterColumns): Promise<void> {
  const { id, producer_id: producerId, poster, picture_id } = event;
  await updateEventRow(tx, id, { ...after, updated_at: act.at });
  await releasePicture(tx, act, picture_id);
  await record(tx, act, { subject: 'event', id, producerId, eventId: id, before: { poster, picture_id }, after });
}

const changesPoster = (sent: string | null | undefined, current: string | null): sent is string | null =>
  changesImage(sent, current, 'poster', 'POST /event/{id}/poster');

/** Refuses the address of an uploaded picture, because a new event has none. */
export const checkNewPoster = (poster: string | null): boolean => changesPoster(poster, null);

/** The new values if a client sends `poster`. */
export const posterColumns = (before: EventRow, current: string | null, sent: string | null | undefined): PosterColumns =>
  changesPoster(sent, current) ? { poster: sent, picture_id: null } : { poster: before.poster, picture_id: before.picture_id };
