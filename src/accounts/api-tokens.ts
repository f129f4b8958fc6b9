import type { Permission } from '../kernel/access.ts';
import type { Act, User } from '../kernel/act.ts';
import { afterId, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { signToken } from './access-tokens.ts';
import type { ApiToken } from './api-token-contract.ts';
import { type ApiTokenRow, countApiTokens, insertApiToken, revokeToken, selectApiTokens } from './api-tokens.sql.ts';
import { selectEventsOfUser } from './roles.sql.ts';
import { isSessionOpen } from './sessions.sql.ts';
import { lockUserShared } from './users.sql.ts';

const maxDays = 366;
const defaultDays = 365;
const maxTokens = 200;

export interface NewToken {
  name: string;
  permissions: Permission[];
  eventIds?: number[] | null;
  channels?: number[] | null;
  expiresAt?: string;
}

export async function createApiToken(tx: Tx, act: Act<User>, body: NewToken): Promise<ApiToken & { token: string }> {
  const { id: userId, email, name, admin } = act.actor;
  const days = (n: number) => new Date(act.at.getTime() + n * 86_400_000);
  const expiresAt = body.expiresAt === undefined ? days(defaultDays) : new Date(body.expiresAt);
  if (!(expiresAt > act.at && expiresAt <= days(maxDays))) {
    throw ruleViolation('expiresAt', 'range', `expiresAt must be in the future and at most ${maxDays} days ahead`);
  }
  await requireOpenSession(tx, act.actor);
  if ((await countApiTokens(tx, userId)) >= maxTokens)
    throw ruleViolation('name', 'limit', `You already have ${maxTokens} API tokens. Revoke one first.`);
  const eventIds = body.eventIds ?? null;
  if (eventIds && !admin) await requireOwnEvents(tx, userId, eventIds);
  const row = await insertApiToken(tx, {
    user_id: userId,
    name: body.name,
    permissions: body.permissions,
    event_ids: eventIds,
    channels: body.channels ?? null,
    created_at: act.at,
    expires_at: expiresAt,
    revoked_at: null,
  });
  const token = await signToken(tx, { userId, email, name, bearer: { kind: 'api', tokenId: row.id }, expiresAt }, act.at);
  await record(tx, act, { subject: 'api_token', id: row.id, after: toApiToken(row) });
  return { ...toApiToken(row), token };
}

/**
 * Checks again that the session is valid: a password change may have revoked it after this request was authenticated. Later password
 * changes wait for the lock.
 */
async function requireOpenSession(tx: Tx, { id, sessionId }: User): Promise<void> {
  await lockUserShared(tx, id);
  if (sessionId === null || !(await isSessionOpen(tx, sessionId)))
    throw new Problem('invalid_token', 'The session has ended. Log in again.');
}

async function requireOwnEvents(tx: Tx, userId: number, eventIds: readonly number[]): Promise<void> {
  const own = await selectEventsOfUser(tx, userId, eventIds);
  const foreign = eventIds.filter((id) => !own.has(id));
  if (foreign.length > 0)
    throw ruleViolation('eventIds', 'unknown', `You have no role in these events: ${foreign.slice(0, 10).join(', ')}`);
}

export async function listApiTokens(tx: Tx, act: Act<User>, query: PageQuery): Promise<Page<ApiToken>> {
  const rows = await selectApiTokens(tx, act.actor.id, afterId(query), rowsToFetch(query));
  const total = query.count ? await countApiTokens(tx, act.actor.id) : undefined;
  return toPage(rows, query, (row) => [row.id], toApiToken, total);
}

export async function revokeApiToken(tx: Tx, act: Act<User>, id: number): Promise<void> {
  const row = await revokeToken(tx, id, act.actor.id, act.at);
  if (!row) throw new Problem('not_found');
  await record(tx, act, { subject: 'api_token', id, before: toApiToken(row) });
}

function toApiToken(row: ApiTokenRow): ApiToken {
  return {
    id: row.id,
    name: row.name,
    permissions: row.permissions as Permission[],
    eventIds: row.event_ids,
    channels: row.channels,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}
