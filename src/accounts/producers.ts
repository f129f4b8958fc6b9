import type { Act, User } from '../kernel/act.ts';
import { afterId, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { describePicture, type Picture, type StoredPicture } from '../kernel/picture.ts';
import { Problem } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import { record } from '../platform/audit.ts';
import { releasePicture } from '../platform/pictures/picture-store.ts';
import type { Tx } from '../postgres/database.ts';
import type { Producer } from './contract.ts';
import {
  countProducers,
  insertMember,
  insertProducer,
  type ProducerRow,
  selectProducer,
  selectProducerForUpdate,
  selectProducers,
  updateProducerRow,
} from './producers.sql.ts';
import { findOrInviteUser } from './user.ts';

export interface NewProducer {
  name: string;
  currency?: string;
  owner: { email: string; name?: string };
}

export async function createProducer(tx: Tx, act: Act, { name, currency = 'BRL', owner }: NewProducer): Promise<Producer> {
  const producer = toProducer(await insertProducer(tx, { name, currency, created_at: act.at, updated_at: act.at }));
  const user = await findOrInviteUser(tx, act, owner);
  await insertMember(tx, producer.id, user.id, 'owner', act.at);
  await record(tx, act, { subject: 'producer', id: producer.id, producerId: producer.id, after: { ...producer, ownerId: user.id } });
  return producer;
}

export async function getProducer(tx: Tx, id: number): Promise<Producer> {
  const row = await selectProducer(tx, id);
  if (!row) throw new Problem('not_found');
  return toProducer(row);
}

export async function listProducers(tx: Tx, { actor }: Act<User>, query: PageQuery): Promise<Page<Producer>> {
  const among = actor.admin ? null : [...actor.producers.keys()];
  const rows = await selectProducers(tx, among, afterId(query), rowsToFetch(query));
  const total = query.count ? (among?.length ?? (await countProducers(tx))) : undefined;
  return toPage(rows, query, (row) => [row.id], toProducer, total);
}

export async function updateProducer(tx: Tx, act: Act, id: number, changes: { name?: string; currency?: string }): Promise<Producer> {
  return changeProducer(tx, act, await lockProducer(tx, id), changes);
}

export async function uploadLogo(tx: Tx, act: Act, id: number, picture: StoredPicture): Promise<Picture> {
  await changeProducer(tx, act, await lockProducer(tx, id), { logo_id: picture.id });
  return describePicture(picture);
}

export async function deleteLogo(tx: Tx, act: Act, id: number): Promise<void> {
  const before = await lockProducer(tx, id);
  if (before.logo_id === null) throw new Problem('not_found', 'The producer has no logo.');
  await changeProducer(tx, act, before, { logo_id: null });
}

async function lockProducer(tx: Tx, id: number): Promise<ProducerRow> {
  const row = await selectProducerForUpdate(tx, id);
  if (!row) throw new Problem('not_found');
  return row;
}

async function changeProducer(
  tx: Tx,
  act: Act,
  before: ProducerRow,
  changes: { name?: string; currency?: string; logo_id?: string | null },
): Promise<Producer> {
  const { id } = before;
  const row = await updateProducerRow(tx, id, { ...changes, updated_at: act.at });
  if (row.logo_id !== before.logo_id) await releasePicture(tx, act, before.logo_id);
  const after = toProducer(row);
  await record(tx, act, { subject: 'producer', id, producerId: id, before: toProducer(before), after });
  return after;
}

function toProducer(row: ProducerRow): Producer {
  return {
    id: row.id,
    name: row.name,
    currency: row.currency,
    logo: row.logo && describePicture(row.logo),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
