import type { Act, Actor, User } from '../kernel/act.ts';
import { afterId, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { changesImage, describeImage, describePicture, type Picture, type StoredPicture } from '../kernel/picture.ts';
import { Problem } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import { record } from '../platform/audit.ts';
import { releasePicture } from '../platform/pictures/picture-store.ts';
import type { Tx } from '../postgres/database.ts';
import { mailInvitation } from './account-mails.ts';
import type { NewProducer, Payout, Producer, ProducerChanges } from './producer-contract.ts';
import {
  countProducers,
  insertMember,
  insertProducer,
  type ProducerColumns,
  type ProducerRow,
  selectOwners,
  selectProducer,
  selectProducerForUpdate,
  selectProducers,
  updateProducerRow,
} from './producers.sql.ts';
import { findOrInviteUser } from './user.ts';

const uploadOperation = 'POST /producers/{id}/logo';

export type ProfileRow = Pick<ProducerRow, 'id' | 'name' | 'description' | 'links' | 'logo' | 'picture'>;

export async function createProducer(tx: Tx, act: Act, { owner, ...profile }: NewProducer): Promise<Producer> {
  const { name, currency = 'BRL', description = null, links = [], logo = null } = profile;
  changesImage(logo, null, 'logo', uploadOperation);
  const times = { created_at: act.at, updated_at: act.at };
  const row = await insertProducer(tx, { name, currency, description, links: JSON.stringify(links), logo, ...times });
  const producer = describeProducer(row);
  const user = await findOrInviteUser(tx, act, owner);
  await insertMember(tx, producer.id, user.id, 'owner', act.at);
  await mailInvitation(tx, act, user, producer);
  await record(tx, act, { subject: 'producer', id: producer.id, producerId: producer.id, after: { ...producer, ownerId: user.id } });
  return producer;
}

export async function getProducer(tx: Tx, { actor }: Act, id: number): Promise<Producer> {
  const row = await selectProducer(tx, id);
  if (!row) throw new Problem('not_found');
  return shownTo(actor, describeProducer(row));
}

export async function listProducers(tx: Tx, { actor }: Act<User>, query: PageQuery): Promise<Page<Producer>> {
  const among = actor.admin ? null : [...actor.producers.keys()];
  const rows = await selectProducers(tx, among, afterId(query), rowsToFetch(query));
  const total = query.count ? (among?.length ?? (await countProducers(tx))) : undefined;
  return toPage(
    rows,
    query,
    (row) => [row.id],
    (row) => shownTo(actor, describeProducer(row)),
    total,
  );
}

export async function updateProducer(tx: Tx, act: Act, id: number, { links, logo, ...changes }: ProducerChanges): Promise<Producer> {
  const before = await lockProducer(tx, id);
  return changeProducer(tx, act, before, {
    ...changes,
    ...(links && { links: JSON.stringify(links) }),
    ...(changesImage(logo, toProfile(before).logo, 'logo', uploadOperation) && { logo, picture_id: null }),
  });
}

export async function uploadLogo(tx: Tx, act: Act, id: number, picture: StoredPicture): Promise<Picture> {
  await changeProducer(tx, act, await lockProducer(tx, id), { logo: null, picture_id: picture.id });
  return describePicture(picture);
}

export async function deleteLogo(tx: Tx, act: Act, id: number): Promise<void> {
  const before = await lockProducer(tx, id);
  if (before.logo === null && before.picture_id === null) throw new Problem('not_found', 'The producer has no logo.');
  await changeProducer(tx, act, before, { logo: null, picture_id: null });
}

async function lockProducer(tx: Tx, id: number): Promise<ProducerRow> {
  const row = await selectProducerForUpdate(tx, id);
  if (!row) throw new Problem('not_found');
  return row;
}

async function changeProducer(tx: Tx, act: Act, before: ProducerRow, changes: ProducerColumns): Promise<Producer> {
  const { id } = before;
  const row = await updateProducerRow(tx, id, { ...changes, updated_at: act.at });
  if (row.picture_id !== before.picture_id) await releasePicture(tx, act, before.picture_id);
  const after = describeProducer(row);
  await record(tx, act, { subject: 'producer', id, producerId: id, before: describeProducer(before), after });
  return shownTo(act.actor, after);
}

/** Returns what everybody may read about a producer. */
export function toProfile({ id, name, description, links, logo, picture }: ProfileRow) {
  const shown = describeImage(logo, picture);
  return { id, name, description, links: links.map(({ kind, url }) => ({ kind, url })), logo: shown.address, picture: shown.picture };
}

/** Managers do not see where the money goes. */
function shownTo(actor: Actor, { payout, ...producer }: DescribedProducer): Producer {
  const isOwner = actor.kind === 'user' && (actor.admin || actor.producers.get(producer.id) === 'owner');
  return isOwner ? { ...producer, payout } : producer;
}

type DescribedProducer = Producer & { payout: Payout | null };

export function describeProducer(row: ProducerRow): DescribedProducer {
  const { payout_provider: provider, payout_account: account } = row;
  return {
    ...toProfile(row),
    currency: row.currency,
    payout: provider === null || account === null ? null : { provider, account },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** Returns the accounts of the owners who can log in, for mails about the money of the producer. */
export const ownersOf = (tx: Tx, producerId: number): Promise<{ id: number; email: string }[]> => selectOwners(tx, producerId);
