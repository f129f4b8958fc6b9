import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { createGate } from '../src/accounts/gate.ts';
import { addMember } from '../src/accounts/members.ts';
import { openSession } from '../src/accounts/session.ts';
import { findUser } from '../src/accounts/user.ts';
import { createUser } from '../src/accounts/users.ts';
import { capabilities } from '../src/app.ts';
import { checks } from '../src/audit/checks.ts';
import { addCrewMember } from '../src/events/crew.ts';
import { type Capability, capability } from '../src/http/capability.ts';
import { mount } from '../src/http/mount.ts';
import { createServer } from '../src/http/server.ts';
import { anyone, permissions } from '../src/kernel/access.ts';
import { systemAct } from '../src/kernel/act.ts';
import { route } from '../src/kernel/route.ts';
import { inTransaction } from '../src/postgres/transaction.ts';
import { useWorld } from './harness.ts';
import { type Attempt, describeAttempt, faultsOf, flawNames, malformedRequest, operationsOf, type Targets } from './malformed.ts';
import { rawCases, sendRaw } from './malformed-raw.ts';
import { noon, password } from './world.ts';

/** To see one request again: MALFORMED_SEED as printed, MALFORMED_FIRST its number, MALFORMED_COUNT=1. */
const seed = Number(process.env.MALFORMED_SEED ?? 1);
const first = Number(process.env.MALFORMED_FIRST ?? 0);
const count = Number(process.env.MALFORMED_COUNT ?? 20_000);

/** Nothing takes a thousandth of this; it only tells a late answer from none. */
const deadlineMs = 20_000;
const atOnce = 24;
/** Enough to see what is wrong; a service that is down need not be asked twenty thousand times. */
const mostFindings = 40;

const world = useWorld();
const operations = operationsOf(capabilities);

interface Judged {
  attempt: Attempt;
  /** Null: none in time. */
  answer: LightMyRequestResponse | null;
  faults: string[];
}

async function judge(app: FastifyInstance, attempt: Attempt, deadline: number): Promise<Judged> {
  const late = new AbortController();
  const answer = await Promise.race([app.inject(attempt.options), sleep(deadline, null, { signal: late.signal })]);
  late.abort();
  if (!answer) return { attempt, answer, faults: [`no answer within ${deadline} ms`] };
  const { statusCode: status, headers, body } = answer;
  return { attempt, answer, faults: faultsOf({ method: attempt.options.method, status, headers, body }) };
}

const findingsOf = (judged: readonly Judged[]): string[] =>
  judged.filter(({ faults }) => faults.length > 0).map(({ attempt, faults }) => `${faults.join(', ')}: ${describeAttempt(attempt)}`);

/** The people of the run, and what they may aim at. */
let targets: Targets;
const cast = ['admin', 'owner', 'manager', 'crew', 'stranger'] as const;
const emailOf = (name: string): string => `${name}@storm.test`;
/** No number in the generator comes near. */
const firstCastId = 6_000_000_001;

/**
 * A request that is malformed in one part may still be one that succeeds: it disables a user, removes a member. So the callers of
 * the run are people of its own, whose ids and addresses the generator does not know, and everybody else of the world is fair
 * game. Afterwards the accounts of these callers must be exactly as before.
 */
beforeAll(async () => {
  const tokens: Record<string, string> = await inTransaction(world.db, {}, async (tx) => {
    const act = systemAct('test', noon);
    await sql`alter table app_user alter column id restart with ${sql.lit(firstCastId)}`.execute(tx);
    for (const name of cast) await createUser(tx, act, { email: emailOf(name), name, password, admin: name === 'admin' });
    await addMember(tx, act, world.producer, { email: emailOf('owner'), role: 'owner' });
    await addMember(tx, act, world.producer, { email: emailOf('manager'), role: 'manager' });
    await addCrewMember(tx, act, world.event, { email: emailOf('crew'), role: 'sales_operator' });
    const signedIn = cast.map(async (name) => {
      const user = await findUser(tx, emailOf(name));
      return [name, user ? (await openSession(tx, user, noon)).login.accessToken : ''] as const;
    });
    return Object.fromEntries(await Promise.all(signedIn));
  });
  const created = await world.call('POST', '/auth/tokens', { token: tokens.owner ?? '', body: { name: 'storm', permissions } });
  tokens.apiToken = (created.json() as { token: string }).token;
  const people = Object.values(world.users);
  const producers = [world.producer, world.otherProducer];
  const events = [world.event, world.event, world.siblingEvent, world.foreignEvent];
  targets = {
    tokens,
    emails: Object.values(world.emails),
    ids: {
      producers,
      producerId: producers,
      event: events,
      events,
      eventId: events,
      eventIds: events,
      users: people,
      members: people,
      crew: people,
      userId: people,
      tokens: Array.from({ length: 30 }, (_, i) => i + 1),
    },
  };
});

/** A log-out is a good request, and answered 204. Without this everything after it would be 401. */
const reopenSessions = () =>
  sql`update auth_session set revoked_at = null, revoked_because = null where user_id >= ${firstCastId} and revoked_at is not null`.execute(
    world.db,
  );

const castAccounts = async (): Promise<unknown> => {
  const { rows } = await sql`
    select u.*, (select json_agg(m order by producer_id) from producer_member m where user_id = u.id) as member,
           (select json_agg(c order by event_id) from event_crew c where user_id = u.id) as crew
      from app_user u where u.id between ${firstCastId} and ${firstCastId + cast.length - 1} order by u.id`.execute(world.db);
  return rows;
};

async function expectGoodService(): Promise<void> {
  await reopenSessions();
  for (const name of cast) {
    const me = await world.call('GET', '/auth/me', { token: targets.tokens[name] ?? '' });
    expect(me.statusCode, `${name}: ${me.body}`).toBe(200);
    const login = await world.call('POST', '/auth/login', { body: { email: emailOf(name), password } });
    expect(login.statusCode, `${name}: ${login.body}`).toBe(200);
  }
  const differences = await inTransaction(world.db, { readOnly: true }, (tx) => Promise.all(checks.map((check) => check.find(tx))));
  expect(differences.flat()).toEqual([]);
}

/** Whether an answer came from behind the gate: from the checks of the input or from the operation itself. */
function wentDeep({ attempt, answer }: Judged): boolean {
  if (!answer) return false;
  if (answer.statusCode < 400) return attempt.options.method !== 'OPTIONS';
  const listed: readonly string[] = operations.find(({ name }) => name === attempt.operation)?.route.problems ?? [];
  return ['invalid_input', ...listed].some((code) => answer.body.includes(`"code":"${code}"`));
}

/** A storm of a few hundred would leave some operation out by chance. */
const isWhole = count >= 10_000;

describe('malformed requests', () => {
  it(`${count} over every operation: none fails, none hangs, every refusal is a problem of the list`, { timeout: 900_000 }, async () => {
    const before = await castAccounts();
    const findings: string[] = [];
    const deep = new Set<string>();
    const used = new Set<string>();
    const statuses: Record<number, number> = {};
    const end = first + count;
    let next = first;
    const lane = async (): Promise<void> => {
      while (next < end && findings.length < mostFindings) {
        const attempt = malformedRequest(operations, targets, seed, next++);
        if (attempt.index % 50 === 0) await reopenSessions();
        const judged = await judge(world.app, attempt, deadlineMs);
        findings.push(...findingsOf([judged]));
        for (const flaw of attempt.flaws) used.add(flaw);
        if (wentDeep(judged)) deep.add(attempt.operation);
        const status = judged.answer?.statusCode ?? 0;
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    expect(findings, `MALFORMED_SEED=${seed}`).toEqual([]);
    expect(await castAccounts()).toEqual(before);
    await expectGoodService();
    if (process.env.MALFORMED_REPORT) console.info({ seed, statuses });
    if (!isWhole) return;
    const shallow = operations.map(({ name }) => name).filter((name) => !deep.has(name));
    expect(shallow, 'never got behind the gate: give `targets` ids that these take').toEqual([]);
    expect(flawNames.filter((flaw) => !used.has(flaw))).toEqual([]);
  });

  it('the same seed sends the same', () => {
    const some = () => Array.from({ length: 500 }, (_, i) => malformedRequest(operations, targets, seed, i));
    expect(some()).toEqual(some());
  });

  it('over a socket: bytes that are not HTTP are refused or cut off, and the next one is served', { timeout: 300_000 }, async () => {
    const address = await world.app.listen({ port: 0, host: '127.0.0.1' });
    const port = Number(new URL(address).port);
    const cases = rawCases(seed);
    expect(cases.length).toBeGreaterThan(300);
    const findings: string[] = [];
    for (let i = 0; i < cases.length; i += 10) {
      const faults = await Promise.all(cases.slice(i, i + 10).map((one) => sendRaw(port, one, deadlineMs)));
      findings.push(...faults.flat());
      const good = await fetch(`${address}/healthz`);
      expect(good.status).toBe(200);
    }
    expect(findings, `MALFORMED_SEED=${seed}`).toEqual([]);
    const me = await fetch(`${address}/v1/auth/me`, { headers: { authorization: `Bearer ${targets.tokens.admin}` } });
    expect(me.status).toBe(200);
    await expectGoodService();
  });
});

describe('the check itself', () => {
  const path = '/broken/{id}';
  const broken = route({
    method: 'POST',
    path,
    group: 'account',
    summary: 'x',
    access: anyone,
    answer: { status: 204 },
    unaudited: 'x',
    examples: { params: { id: 1 } },
  });

  /** A whole service of its own with one operation, asked two hundred times by the same generator. */
  async function storm(handler: () => Promise<void>, deadline: number, afterwards = (): void => undefined): Promise<string[]> {
    const control: Capability = capability({ broken }, { broken: handler });
    const app = await createServer({ logLevel: 'silent', corsOrigins: [], trustProxy: false, rateLimit: null, maxLagMs: null });
    mount(app, { db: world.db, clock: () => noon, gate: createGate(world.db), serve: new Set(['account']) }, [control]);
    app.get('/v1/plain', (_request, reply) => reply.code(400).send('no problem'));
    const attempts = Array.from({ length: 200 }, (_, i) => malformedRequest(operationsOf([control]), targets, seed, i));
    const judged: Judged[] = [];
    for (let i = 0; i < attempts.length; i += 5)
      judged.push(...(await Promise.all(attempts.slice(i, i + 5).map((one) => judge(app, one, deadline)))));
    afterwards();
    await app.close();
    return findingsOf(judged);
  }

  it('reports a handler that throws', async () => {
    const findings = await storm(async () => {
      throw new TypeError('undefined is not a function');
    }, deadlineMs);
    expect(findings.filter((line) => line.startsWith('status 500')).length).toBeGreaterThan(20);
  });
});
