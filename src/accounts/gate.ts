import { setTimeout as sleep } from 'node:timers/promises';
import { importJWK } from 'jose';
import type { Gate } from '../http/gate.ts';
import type { ScopeKind } from '../kernel/access.ts';
import type { Anonymous, Device, User } from '../kernel/act.ts';
import { batchedLookup } from '../kernel/batched-lookup.ts';
import { Problem } from '../kernel/problem.ts';
import type { Database } from '../postgres/database.ts';
import { type Claims, verifyToken } from './access-tokens.ts';
import {
  type CallerRow,
  type DeviceRow,
  selectCallersOfSessions,
  selectCallersOfTokens,
  selectDevices,
  selectEventScopes,
  selectProducerScope,
} from './callers.sql.ts';
import { type DeviceToken, readDeviceToken } from './device-tokens.ts';
import { checkPermission, type Scope } from './roles.ts';
import { selectPublicKeys } from './signing-keys.sql.ts';

const maxCachedTokens = 10_000;
const keyReloadMs = 1_000;
const maxTokenLength = 4_096;
/** How often it is stored that a device is in use. */
const seenMs = 60_000;

/** Finds the producer and event to which an id in a request belongs. Each capability provides this for its own ids. */
export type FindScope = (db: Database, id: number) => Promise<Scope | undefined>;

/** Stores when a device sent its last request. */
export type MarkSeen = (db: Database, device: Device, at: Date) => Promise<void>;

const anonymous: Anonymous = { kind: 'anonymous' };

export function createGate(
  db: Database,
  ofCapabilities: Record<Exclude<ScopeKind, 'producer' | 'event'>, FindScope>,
  markSeen?: MarkSeen,
): Gate {
  const findEvent = batchedLookup((ids: readonly number[]) => selectEventScopes(db, ids));
  const scopes: Record<ScopeKind, FindScope> = { producer: selectProducerScope, event: (_db, id) => findEvent(id), ...ofCapabilities };
  const verify = tokenVerifier(db);
  const findCaller = callerFinder(db);
  const findDevice = deviceFinder(db);

  async function recognizeDevice(row: DeviceRow | undefined, at: Date): Promise<Device> {
    if (!row || row.expires_at <= at) throw refused;
    const device: Device = { kind: 'device', id: row.id, eventId: row.event_id, name: row.name, gate: row.gate };
    if (!row.last_seen_at || at.getTime() - row.last_seen_at.getTime() >= seenMs) await markSeen?.(db, device, at);
    return device;
  }

  return {
    async authenticate(authorization, at) {
      if (authorization === undefined) return anonymous;
      const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization)?.[1];
      const deviceToken = token === undefined ? null : readDeviceToken(token);
      if (deviceToken) return recognizeDevice(await findDevice(deviceToken), at);
      const claims = token && token.length <= maxTokenLength ? await verify(token, at) : null;
      const caller = claims && (await findCaller(claims.bearer));
      if (!caller || caller.user.id !== claims.userId || caller.expiresAt <= at || !caller.kids.includes(claims.kid)) throw refused;
      return caller.user;
    },
    async authorize(user, permission, kind, id) {
      const scope = await scopes[kind](db, id);
      return scope ? checkPermission(user, permission, scope) : 'hidden';
    },
  };
}

const refused = new Problem('invalid_token', 'The token is malformed, expired or revoked, or was not issued by this service', {
  headers: { 'www-authenticate': 'Bearer realm="tessera", error="invalid_token"' },
});

interface Caller {
  user: User;
  expiresAt: Date;
  kids: readonly string[];
}

/** Roles are read with every request. Concurrent requests share one query. */
function callerFinder(db: Database): (bearer: Claims['bearer']) => Promise<Caller | undefined> {
  const ofSession = batchedLookup(async (ids: readonly string[]) => {
    const rows = await selectCallersOfSessions(db, ids);
    return new Map(rows.map((row) => [row.bearer, toCaller(row, row.bearer, null)]));
  });
  const ofToken = batchedLookup(async (ids: readonly number[]) => {
    const rows = await selectCallersOfTokens(db, ids);
    return new Map(rows.map((row) => [row.bearer, toCaller(row, null, limitsOf(row.bearer, row))]));
  });
  return (bearer) => (bearer.kind === 'session' ? ofSession(bearer.sessionId) : ofToken(bearer.tokenId));
}

/** Devices are read with every request, so that a revoked device is refused at once. Concurrent requests share one query. */
function deviceFinder(db: Database): (token: DeviceToken) => Promise<DeviceRow | undefined> {
  return batchedLookup(async (tokens: readonly DeviceToken[]) => {
    const byHash = new Map((await selectDevices(db, tokens)).map((row) => [row.bearer, row]));
    return new Map(
      tokens.flatMap((token) => {
        const row = byHash.get(token.hash.toString('hex'));
        return row ? [[token, row] as const] : [];
      }),
    );
  });
}

const limitsOf = (id: number, row: CallerRow): User['token'] => ({
  id,
  permissions: new Set(row.permissions),
  eventIds: row.event_ids && new Set(row.event_ids),
  channels: row.channels && new Set(row.channels),
});

const toCaller = (row: CallerRow, sessionId: string | null, token: User['token']): Caller => ({
  user: {
    kind: 'user',
    id: row.id,
    email: row.email,
    name: row.name,
    admin: row.admin,
    producers: new Map(row.producers),
    crew: new Map(row.crew),
    sessionId,
    token,
  },
  expiresAt: row.expires_at,
  kids: row.kids,
});

/** Resolves one second after the load has finished or failed. */
async function waitAfter(loaded: Promise<void>): Promise<void> {
  await loaded.catch(() => undefined);
  await sleep(keyReloadMs, undefined, { ref: false });
}

/** Caches verified tokens, so that each signature is checked once. Loads the keys again when a token has an unknown key id. */
function tokenVerifier(db: Database): (token: string, at: Date) => Promise<Claims | null> {
  const verified = new Map<string, Claims>();
  let keys = new Map<string, Awaited<ReturnType<typeof importJWK>>>();
  let loading: Promise<void> | null = null;

  async function loadKeys(): Promise<void> {
    const rows = await selectPublicKeys(db);
    keys = new Map(await Promise.all(rows.map(async (row) => [row.kid, await importJWK(row.publicJwk, 'EdDSA')] as const)));
  }

  /** Tokens with random key ids cause at most one query per second, because concurrent requests share the query. */
  async function findKey(kid: string) {
    for (let tries = 0; !keys.has(kid) && tries < 2; tries++) {
      if (loading) await loading;
      else await startLoading();
    }
    return keys.get(kid) ?? null;
  }

  async function startLoading(): Promise<void> {
    const loaded = loadKeys();
    // `loading` is kept for one more second. Requests in that second wait, and then the next load may start.
    loading = waitAfter(loaded).finally(() => {
      loading = null;
    });
    await loaded;
  }

  return async (token, at) => {
    const known = verified.get(token);
    if (known) return known.expiresAt > at ? known : null;
    const claims = await verifyToken(token, findKey, at);
    if (claims) {
      if (verified.size >= maxCachedTokens) verified.delete(verified.keys().next().value ?? '');
      verified.set(token, claims);
    }
    return claims;
  };
}
