import { sql } from 'kysely';
import type { CrewRole, Permission, ProducerRole } from '../kernel/access.ts';
import type { Database } from '../postgres/database.ts';
import type { Scope } from './roles.ts';

export interface CallerRow {
  id: number;
  email: string;
  name: string;
  admin: boolean;
  producers: [number, ProducerRole][];
  crew: [number, CrewRole][];
  permissions: Permission[] | null;
  event_ids: number[] | null;
}

const roles = sql`
  coalesce((select json_agg(json_build_array(producer_id, role)) from producer_member where user_id = u.id), '[]') as producers,
  coalesce((select json_agg(json_build_array(event_id, role)) from event_crew where user_id = u.id), '[]') as crew`;

/** The person behind a session that is still open, with every role they have now. */
export async function selectCallerOfSession(db: Database, sessionId: string, userId: number, at: Date): Promise<CallerRow | undefined> {
  const { rows } = await sql<CallerRow>`
    select u.id, u.email, u.name, u.admin, ${roles}, null as permissions, null as event_ids
      from auth_session s join app_user u on u.id = s.user_id
     where s.id = ${sessionId} and u.id = ${userId} and u.disabled_at is null and s.revoked_at is null and s.expires_at > ${at}`.execute(
    db,
  );
  return rows[0];
}

/** The person behind an API token that is still good, with their roles and the token's limits. */
export async function selectCallerOfToken(db: Database, tokenId: number, userId: number, at: Date): Promise<CallerRow | undefined> {
  const { rows } = await sql<CallerRow>`
    select u.id, u.email, u.name, u.admin, ${roles}, t.permissions, t.event_ids
      from api_token t join app_user u on u.id = t.user_id
     where t.id = ${tokenId} and u.id = ${userId} and u.disabled_at is null and t.revoked_at is null and t.expires_at > ${at}`.execute(db);
  return rows[0];
}

export async function selectEventScope(db: Database, eventId: number): Promise<Scope | undefined> {
  const row = await db.selectFrom('event').select(['id', 'producer_id']).where('id', '=', eventId).executeTakeFirst();
  return row && { producerId: row.producer_id, eventId: row.id };
}

export async function selectProducerScope(db: Database, producerId: number): Promise<Scope | undefined> {
  const row = await db.selectFrom('producer').select('id').where('id', '=', producerId).executeTakeFirst();
  return row && { producerId: row.id, eventId: null };
}
