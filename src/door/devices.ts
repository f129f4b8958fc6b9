import { createDeviceToken } from '../accounts/device-tokens.ts';
import type { MarkSeen } from '../accounts/gate.ts';
import { lockEvent } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { afterId, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { countOldRows, deleteOldRows, type OldRows } from '../postgres/delete-old-rows.ts';
import type { DeviceBody, DoorDevice, NewDoorDevice } from './device-contract.ts';
import {
  countDevices,
  type DeviceRow,
  devicesExpiredBefore,
  insertDevice,
  selectDevices,
  updateLastSeen,
  updateRevoked,
} from './devices.sql.ts';

const dayMs = 86_400_000;
const defaultDays = 7;
const maxDays = 366;
const maxDevices = 1_000;

/** Creates a device and its token. `shopUrl` is the public address of the service, where the door app is. */
export async function createDevice(tx: Tx, act: Act, eventId: number, body: DeviceBody, shopUrl: string): Promise<NewDoorDevice> {
  const { finishes_at: finishesAt } = await lockEvent(tx, eventId);
  if ((await countDevices(tx, eventId)) >= maxDevices)
    throw ruleViolation('name', 'limit', `An event can have at most ${maxDevices} devices, including revoked ones.`);
  const { token, hash } = createDeviceToken(eventId);
  const row = await insertDevice(tx, {
    event_id: eventId,
    name: body.name,
    gate: body.gate ?? null,
    token_hash: hash,
    created_at: act.at,
    expires_at: expiryOf(body.expiresAt, act.at, finishesAt),
    revoked_at: null,
    last_seen_at: null,
  });
  const { lastSeenAt: _, revokedAt: __, ...device } = toDevice(row);
  await record(tx, act, { subject: 'device', id: row.id, eventId, after: device });
  return { ...device, token, link: `${shopUrl}/door/#pair=${token}` };
}

/** Counts from the end of the last session, or from now if the event is over or has no sessions. */
function expiryOf(wished: string | undefined, now: Date, finishesAt: Date | null): Date {
  const from = Math.max(now.getTime(), finishesAt?.getTime() ?? 0);
  const expiresAt = wished === undefined ? new Date(from + defaultDays * dayMs) : new Date(wished);
  if (expiresAt > now && expiresAt.getTime() <= from + maxDays * dayMs) return expiresAt;
  throw ruleViolation('expiresAt', 'range', `expiresAt must be in the future, and at most ${maxDays} days after the last session ends`);
}

export async function listDevices(tx: Tx, eventId: number, query: PageQuery): Promise<Page<DoorDevice>> {
  const rows = await selectDevices(tx, eventId, afterId(query), rowsToFetch(query));
  const total = query.count ? await countDevices(tx, eventId) : undefined;
  return toPage(rows, query, ({ id }) => [id], toDevice, total);
}

export async function revokeDevice(tx: Tx, act: Act, eventId: number, id: number): Promise<void> {
  const row = await updateRevoked(tx, eventId, id, act.at);
  if (!row) throw new Problem('not_found');
  await record(tx, act, { subject: 'device', id, eventId, before: toDevice({ ...row, revoked_at: null }), after: toDevice(row) });
}

/** Devices are kept for a while after they expired, so that the crew sees which devices an event had. */
const keptDays = 30;
const expiredLongAgo = (at: Date): OldRows => devicesExpiredBefore(new Date(at.getTime() - keptDays * dayMs));

export const countOldDevices = (tx: Tx, at: Date): Promise<number> => countOldRows(tx, expiredLongAgo(at));

/** Deletes up to `limit` devices. Their names may say whose phone it was. Returns the number of deleted devices. */
export const deleteOldDevices = (tx: Tx, at: Date, limit: number): Promise<number> => deleteOldRows(tx, expiredLongAgo(at), limit);

/** Not part of the operation that the device calls, because most of these are read-only. */
export const markSeen: MarkSeen = (db, { eventId, id }, at) => updateLastSeen(db, eventId, id, at);

const toDevice = (row: DeviceRow): DoorDevice => ({
  id: row.id,
  name: row.name,
  gate: row.gate,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  revokedAt: row.revoked_at?.toISOString() ?? null,
});
