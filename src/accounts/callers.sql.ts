import { sql } from 'kysely';
import type { CrewRole, Permission, ProducerRole } from '../kernel/access.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { queryPrepared } from '../postgres/pipeline.ts';
import type { DeviceToken } from './device-tokens.ts';
import type { Scope } from './roles.ts';

export interface CallerRow {
  id: number;
  /** When the session or API token expires. */
  expires_at: Date;
  email: string;
  name: string;
  admin: boolean;
  producers: [number, ProducerRole][];
  crew: [number, CrewRole][];
  permissions: Permission[] | null;
  event_ids: number[] | null;
  channels: number[] | null;
  /** The ids of all keys that are not revoked. */
  kids: string[];
}

/** The key ids are read with every request, so that all processes reject tokens of a revoked key immediately. */
const kids = sql`(select array_agg(kid) from signing_key) as kids`;

const roles = sql`
  coalesce((select json_agg(json_build_array(producer_id, role)) from producer_member where user_id = u.id), '[]') as producers,
  coalesce((select json_agg(json_build_array(event_id, role)) from event_crew where user_id = u.id), '[]') as crew`;

/** Returns the users of those sessions that are not revoked, with their current roles. */
export const selectCallersOfSessions = (db: Database, sessionIds: readonly string[]): Promise<(CallerRow & { bearer: string })[]> =>
  queryPrepared(
    db,
    sql<CallerRow & { bearer: string }>`
      select s.id as bearer, s.expires_at, u.id, u.email, u.name, u.admin, ${roles}, null as permissions, null as event_ids, null as channels, ${kids}
        from auth_session s join app_user u on u.id = s.user_id
       where s.id = any(${sessionIds}::uuid[]) and u.disabled_at is null and s.revoked_at is null`,
  );

/** Returns the users of those API tokens that are not revoked, with their current roles and the limits of the tokens. */
export const selectCallersOfTokens = (db: Database, tokenIds: readonly number[]): Promise<(CallerRow & { bearer: number })[]> =>
  queryPrepared(
    db,
    sql<CallerRow & { bearer: number }>`
      select t.id as bearer, t.expires_at, u.id, u.email, u.name, u.admin, ${roles}, t.permissions, t.event_ids, t.channels, ${kids}
        from api_token t join app_user u on u.id = t.user_id
       where t.id = any(${tokenIds}::bigint[]) and u.disabled_at is null and t.revoked_at is null`,
  );

export interface DeviceRow {
  event_id: number;
  id: number;
  name: string;
  gate: string | null;
  expires_at: Date;
  last_seen_at: Date | null;
  /** The hash of the token, in hexadecimal. */
  bearer: string;
}

/** Returns those devices that are not revoked. A hash belongs to one event, so the events and hashes need not be compared in pairs. */
export const selectDevices = (db: Database, tokens: readonly DeviceToken[]): Promise<DeviceRow[]> =>
  queryPrepared(
    db,
    sql<DeviceRow>`
      select event_id, id, name, gate, expires_at, last_seen_at, encode(token_hash, 'hex') as bearer from door_device
       where event_id = any(${tokens.map(({ eventId }) => eventId)}::bigint[]) and token_hash = any(${tokens.map(({ hash }) => hash)}::bytea[])
         and revoked_at is null`,
  );

/** Returns a user with their current roles, or undefined if the account is disabled. */
export async function selectCaller(
  db: Database | Tx,
  userId: number,
): Promise<Omit<CallerRow, 'expires_at' | 'permissions' | 'event_ids'> | undefined> {
  const { rows } = await sql<CallerRow>`
    select u.id, u.email, u.name, u.admin, ${roles} from app_user u where u.id = ${userId} and u.disabled_at is null`.execute(db);
  return rows[0];
}

export async function selectEventScopes(db: Database, eventIds: readonly number[]): Promise<Map<number, Scope>> {
  const query = sql<{ id: number; producer_id: number }>`select id, producer_id from event where id = any(${eventIds}::bigint[])`;
  return new Map((await queryPrepared(db, query)).map((row) => [row.id, { producerId: row.producer_id, eventId: row.id }]));
}

export async function selectProducerScope(db: Database, producerId: number): Promise<Scope | undefined> {
  const row = await db.selectFrom('producer').select('id').where('id', '=', producerId).executeTakeFirst();
  return row && { producerId: row.id, eventId: null };
}
